"""What is wrong with the arguments of a module, as they are written, by its spec; Ansible's own rules, leniency too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ansible_ensemble.configurators.module_spec import ModuleSpec, Option
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import closest, known_names, slip_of
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import kind_of

#: What a module with a command line of its own takes beside its arguments.
FREE = "_raw_params"
BOOLEANS = {"y", "yes", "on", "1", "true", "t", "n", "no", "off", "0", "false", "f"}
_NO_PLACES: Mapping[str, Place | None] = MappingProxyType({})


def argument_faults(
    spec: ModuleSpec,
    args: Mapping[str, Any],
    what: str,
    place: Place | None,
    *,
    others: bool = False,
    partly: bool = False,
    places: Mapping[str, Place | None] | None = None,
) -> Iterator[InvalidInput]:
    """Each argument that the module or role does not have, that has a wrong value, or that is missing.

    What is computed has any type. What may be a secret is not shown.

    Args:
        spec: the module's.
        args: as written.
        what: whose they are, for people: `ansible.builtin.copy of 'page'`.
        place: where they stand.
        others: it may be given others, too; only a slip of a name is wrong.
        partly: what is missing may come from elsewhere.
        places: where those stand that do not stand in a map.
    """
    yield from _faults(spec.options, args, what, place, others=others, partly=partly, places=places or {})


def _faults(
    options: Mapping[str, Option],
    args: Mapping[str, Any],
    what: str,
    place: Place | None,
    *,
    others: bool = False,
    partly: bool = False,
    places: Mapping[str, Place | None] = _NO_PLACES,
) -> Iterator[InvalidInput]:
    names = {known: name for name, option in options.items() for known in (name, *option.aliases)}
    for name, value in args.items():
        if name == FREE or (others and name not in names and not slip_of(str(name), names)):
            continue
        if name not in names:
            near = closest(name, names)
            hint = f"did you mean {near}?" if near else known_names([*options])
            yield InvalidInput(
                f"{what} has no argument '{name}'", key_place_of(args, name) or places.get(name) or place, hint
            )
        elif value is not None and not is_computed(value):
            option, where = options[names[name]], place_of(args, name) or places.get(name) or place
            yield from _value_faults(option, value, f"argument '{name}' of {what}", where)
            if is_file_mode(names[name], option):
                yield from _mode_faults(value, what, where)
    given = {names.get(name) for name, value in args.items() if value is not None} if not partly else set(options)
    for name in (name for name, option in options.items() if option.required and name not in given):
        yield InvalidInput(f"{what} lacks the argument '{name}'", place)


def is_file_mode(name: str, option: Option) -> bool:
    """Whether an argument is the mode of a file, whose numbers are meant as octal ones and are read as others."""
    return name == "mode" and option.type in ("raw", "any")


def _mode_faults(value: Any, what: str, place: Place | None) -> Iterator[InvalidInput]:
    if isinstance(value, int):
        meant = f"{value:04}" if _is_octal(str(value)) else f"{value:04o}"
        hint = f"put it in quotes: '{meant}'"
        yield InvalidInput(f"argument 'mode' of {what} is a number, which is not octal", place, hint)
    elif isinstance(value, str) and value.isdecimal() and not _is_octal(value):
        yield InvalidInput(f"argument 'mode' of {what} is {kind_of(value)}, which is not octal", place)


def _is_octal(text: str) -> bool:
    return set(text) <= set("01234567")


def _value_faults(option: Option, value: Any, what: str, place: Place | None) -> Iterator[InvalidInput]:
    shown = kind_of(value, hidden=option.secret)
    if not _fits(option.type, value):
        yield InvalidInput(f"{what} is {shown}, which is not of type {option.type}", place)
        return
    items = _items(option, value)
    for item in items:
        if is_computed(item):
            continue
        if option.type == "list" and not _fits(option.elements, item):
            told = kind_of(item, hidden=option.secret)
            yield InvalidInput(f"{what} has {told}, which is not of type {option.elements}", place)
        elif option.choices and not _is_chosen(option, item):
            told = kind_of(item, hidden=option.secret)
            near = closest(item, option.choices)
            hint = f"did you mean {near}?" if near else known_names([*option.choices])
            yield InvalidInput(f"{what} is {told}, which is none of its choices", place, hint)
        elif option.options and isinstance(item, Mapping):
            yield from _faults(option.options, item, what, place_of(item) or place)


def _items(option: Option, value: Any) -> list[Any]:
    """The values that choices are about: those of a list, which may be a text with commas."""
    if option.type != "list":
        return [value]
    return value if isinstance(value, list) else [one.strip() for one in str(value).split(",")]


def _is_chosen(option: Option, value: Any) -> bool:
    """Whether a value is among the choices; text and number, and the words for true and false, are the same."""
    if any(value == choice or str(value) == str(choice) for choice in option.choices):
        return True
    words = {str(choice).lower() for choice in option.choices}
    return isinstance(value, bool) and bool(words & ({"yes", "true"} if value else {"no", "false"}))


def _fits(kind: str, value: Any) -> bool:
    """Whether Ansible takes a value for one of a type."""
    rule = _RULES.get(kind)
    return rule is None or is_computed(value) or rule(value)


def _is_number(value: Any, kind: Callable[[str], float]) -> bool:
    if isinstance(value, bool):
        return False
    try:
        kind(str(value))
    except ValueError:
        return False
    return True


#: Types that do not take every value.
_RULES: Mapping[str, Callable[[Any], bool]] = {
    "bool": lambda value: isinstance(value, bool) or str(value).lower() in BOOLEANS,
    "int": lambda value: _is_number(value, int),
    "float": lambda value: _is_number(value, float),
    "list": lambda value: not isinstance(value, Mapping),
    "dict": lambda value: isinstance(value, (Mapping, str)),
    "path": lambda value: not isinstance(value, (Mapping, list)),
}
