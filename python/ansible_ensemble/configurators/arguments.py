"""What is wrong with the arguments of a module, as they are written, by its spec; Ansible's own rules, leniency too."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ansible_ensemble.configurators.argument_rules import FREE, TO_MAKE, ArgumentRules, Condition
from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.module_spec import ModuleSpec, Option
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import closest, known_names, nearest, slip_of
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.documents.scalars import spoken_boolean
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import kind_of

#: Modules that take arguments beside those that are documented: variables, or those of the module that they run.
_ANY_ARGUMENTS = frozenset(
    f"{BUILTIN}{name}"
    for name in (
        "add_host",
        "gather_facts",
        "package",
        "service",
        "set_fact",
        "set_stats",
        "setup",
        "validate_argument_spec",
    )
)
#: Those that do without what is required by their documentation.
_NOT_AS_DOCUMENTED = frozenset((f"{BUILTIN}package", f"{BUILTIN}set_fact"))
_URL = re.compile("(https?|ftp|file)://")
#: A mode by letters, as `chmod` takes it.
_SYMBOLIC = re.compile(r"[ugoa]*([-+=]([rwxXst]*|[ugo]))+(,[ugoa]*([-+=]([rwxXst]*|[ugo]))+)*")
_KEPT = "preserve"
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
    makes: bool = False,
) -> Iterator[InvalidInput]:
    """Each argument that the module or role does not have, that has a wrong value, or that is missing.

    What its rules say of several arguments is told where those alone are right.

    What is computed has any type. What may be a secret is not shown.

    Args:
        spec: the module's.
        args: as written.
        what: whose they are, for people: `ansible.builtin.copy of 'page'`.
        place: where they stand.
        others: it may be given others, too; only a slip of a name is wrong.
        partly: what is missing may come from elsewhere.
        places: where those stand that do not stand in a map.
        makes: it is to make something, also where there is nothing yet.
    """
    if spec.name in _ANY_ARGUMENTS:
        partly = partly or spec.name in _NOT_AS_DOCUMENTED
        args = {name: value for name, value in args.items() if spec.option(name) is not None}
    faults = [*_faults(spec.options, args, what, place, others=others, partly=partly, places=places or {})]
    for name, faults_of in _LOOKED_INTO.get(spec.name, {}).items():
        if isinstance(args.get(name), str) and not is_computed(args[name]):
            faults += faults_of(args[name], f"argument '{name}' of {what}", place_of(args, name) or place)
    yield from faults
    if not faults and not partly:
        yield from _Rules(spec, args, what, place, makes=makes).faults()


class _Rules:
    """The rules of a module, and the arguments that it is given."""

    def __init__(
        self, spec: ModuleSpec, args: Mapping[str, Any], what: str, place: Place | None, *, makes: bool
    ) -> None:
        self._rules = spec.rules.with_more(TO_MAKE.get(spec.name, ArgumentRules())) if makes else spec.rules
        self._options, self._what, self._place, self._makes = spec.options, what, place, makes
        self._written = {name: value for name, value in args.items() if value is not None}
        # the source may call an argument by another of its names than the documentation
        same = {
            one: (name, *option.aliases) for name, option in spec.options.items() for one in (name, *option.aliases)
        }
        self._known = {one: value for name, value in self._written.items() for one in same.get(name, (name,))}
        self._name = {one: names[0] for one, names in same.items()}

    def faults(self) -> Iterator[InvalidInput]:
        """What the arguments break; an argument that is computed may turn out to be none, or to be one."""
        rules = self._rules
        for group in rules.mutually_exclusive:
            given = [name for name in group if name in self._known and not is_computed(self._known[name])]
            if len({self._name.get(name, name) for name in given}) > 1:
                yield self._fault(f"has both {_listed(given, 'and')}", "they exclude each other: remove one of them")
        for group in rules.required_together:
            given, missing = [name for name in group if name in self._known], self._missing(group)
            if missing and any(not is_computed(self._known[name]) for name in given):
                yield self._fault(f"has '{given[0]}' without {_listed(missing, 'and')}", "they go together")
        for group in rules.required_one_of:
            if len(self._missing(group, defaults=not self._makes)) == len(group):
                yield self._fault(f"has none of the arguments {_listed(_shown(group), 'and')}", "add one of them")
        for condition in rules.required_if:
            yield from self._condition(condition)
        for name, needed in rules.required_by.items():
            missing = self._missing(needed)
            if missing and name in self._known and not is_computed(self._known[name]):
                yield self._fault(f"has '{name}' without {_listed(missing, 'and')}", "it needs that")

    def _condition(self, condition: Condition) -> Iterator[InvalidInput]:
        option = self._options.get(self._name.get(condition.argument, ""))
        value = self._known.get(condition.argument, self._default(condition.argument))
        missing = self._missing(condition.needed)
        enough = condition.one_is_enough and len(missing) < len(condition.needed)
        if value is not None and not is_computed(value) and _same(value, condition.value) and missing and not enough:
            shown = kind_of(value, hidden=option is not None and option.secret)
            word = "or" if condition.one_is_enough else "and"
            yield self._fault(f"lacks {_listed(missing, word)}", f"needed where {condition.argument} is {shown}")

    def _default(self, name: str) -> Any:
        option = self._options.get(self._name.get(name, ""))
        return option.default if option is not None else None

    def _missing(self, names: Iterable[str], *, defaults: bool = True) -> list[str]:
        """Those of the names that neither are given nor have a default."""
        return [
            name for name in names if name not in self._known and not (defaults and self._default(name) is not None)
        ]

    def _fault(self, problem: str, hint: str) -> InvalidInput:
        return InvalidInput(f"{self._what} {problem}", self._place, hint)


def _listed(names: Iterable[str], word: str) -> str:
    quoted = [f"'{name}'" for name in _shown(names)]
    return f" {word} ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _shown(names: Iterable[str]) -> list[str]:
    """Names of arguments as people write them."""
    return list(dict.fromkeys("cmd" if name == FREE else name for name in names))


def _same(value: Any, other: Any) -> bool:
    """Whether a value is one of a rule, where words may stand for true and false."""
    if isinstance(other, bool):
        return spoken_boolean(value) is other or value is other
    return value == other or str(value) == str(other)


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
            if value == "" and option.required and option.type == "path":
                yield InvalidInput(f"argument '{name}' of {what} is an empty text, which is no path", where)
            if is_file_mode(names[name], option):
                yield from _mode_faults(value, what, where)
    given = {names.get(name) for name, value in args.items() if value is not None} if not partly else set(options)
    given |= {"free_form"} if FREE in args else set()
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
    elif isinstance(value, str) and not (value.isdecimal() or value == _KEPT or _SYMBOLIC.fullmatch(value)):
        yield InvalidInput(f"argument 'mode' of {what} is {kind_of(value)}, which is no mode", place, "as '0644', u=rw")


def _expression_faults(value: str, what: str, place: Place | None) -> Iterator[InvalidInput]:
    try:
        re.compile(value)
    except re.error as error:
        yield InvalidInput(f"{what} is no regular expression: {error}", place, "put a \\ before signs that are meant")


def _checksum_faults(value: str, what: str, place: Place | None) -> Iterator[InvalidInput]:
    """What is wrong with a checksum as `get_url` takes it: `ALGORITHM:CHECKSUM`, or `ALGORITHM:URL`."""
    algorithm, separator, checksum = value.partition(":")
    if value and not separator:
        yield InvalidInput(f"{what} is no checksum", place, "write ALGORITHM:CHECKSUM or ALGORITHM:URL, as sha256:...")
    elif value and algorithm not in hashlib.algorithms_guaranteed:
        message, hint = f"{what}: there is no algorithm {algorithm}", nearest(algorithm, hashlib.algorithms_guaranteed)
        yield InvalidInput(message, place, hint)
    elif value and not _URL.match(checksum):
        digits = hashlib.new(algorithm).digest_size * 2
        if not re.fullmatch(f"[0-9a-fA-F]{{{digits or '1,'}}}", re.sub(r"\W", "", checksum)):
            hint = f"it has {digits} hexadecimal digits" if digits else "it has hexadecimal digits"
            yield InvalidInput(f"{what} is no checksum of {algorithm}", place, hint)


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
            text = kind_of(item, hidden=option.secret)
            yield InvalidInput(f"{what} has {text}, which is not of type {option.elements}", place)
        elif option.choices and not _is_chosen(option, item):
            text = kind_of(item, hidden=option.secret)
            near = closest(item, option.choices)
            hint = f"did you mean {near}?" if near else known_names([*option.choices])
            yield InvalidInput(f"{what} is {text}, which is none of its choices", place, hint)
        elif option.options and isinstance(item, Mapping):
            yield from _faults(option.options, item, what, place_of(item) or place)


def _items(option: Option, value: Any) -> list[Any]:
    """The values that choices are about: those of a list, which may be a text with commas."""
    if option.type != "list":
        return [value]
    return value if isinstance(value, list) else [one.strip() for one in str(value).split(",")]


def _is_chosen(option: Option, value: Any) -> bool:
    """Whether a value is among the choices.

    Text and number, and the words for true and false, are the same; so is a character and its escape, since modules
    document line ends as escapes and take both.
    """
    text = str(value)
    if any(value == choice or str(choice) in (text, repr(text)[1:-1]) for choice in option.choices):
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
#: Arguments of modules whose texts have a form of their own -> what is wrong with one.
_LOOKED_INTO: Mapping[str, Mapping[str, Callable[[str, str, Place | None], Iterator[InvalidInput]]]] = {
    f"{BUILTIN}lineinfile": {"regexp": _expression_faults},
    f"{BUILTIN}replace": dict.fromkeys(("regexp", "after", "before"), _expression_faults),
    f"{BUILTIN}get_url": {"checksum": _checksum_faults},
}
