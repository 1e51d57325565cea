"""What is wrong with values of the collection's own modules and roles that their specs cannot tell.

Each rule is one that the module or role has when it runs: so it is told before anything is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import closest
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import kind_of

_CLASS = "class"
_EXAMPLE = "such as octodns.provider.yaml.YamlProvider"
#: What begins a path that does not depend on where the role runs.
_ABSOLUTE = ("/", "~", "$")

#: What is wrong, a hint, and where it stands if that is known.
_Fault = tuple[str, str | None, Any]


def value_faults(
    name: str, given: Mapping[str, Any], what: str, find: Callable[[str], Any], *, partly: bool = False
) -> Iterator[InvalidInput]:
    """Each value that a module or role of the collection would refuse; what is computed is left to it.

    Args:
        name: the FQCN of the module or role.
        given: what it is given, as written.
        what: whose that is, for people.
        find: where an argument stands, by its name.
        partly: what is missing may come from elsewhere.
    """
    for argument, rule in _RULES.get(name, {}).items():
        value = given.get(argument)
        if value is not None and not is_computed(value):
            for message, hint, place in rule(value):
                yield InvalidInput(
                    f"argument '{argument}' of {what} {message}",
                    place or place_of(given, argument) or find(argument),
                    hint,
                )
    if name in _TEXTS:
        yield from _text_faults(given, what, find, partly=partly)


def _text_faults(
    given: Mapping[str, Any], what: str, find: Callable[[str], Any], *, partly: bool
) -> Iterator[InvalidInput]:
    """A text is either written or made from a template."""
    said = [name for name in ("content", "template") if given.get(name) is not None]
    if len(said) == 2 and not any(is_computed(given[name]) for name in said):
        place = place_of(given, "template") or find("template")
        yield InvalidInput(f"{what} has both content and template", place, "remove one of them")
    elif not said and not partly:
        yield InvalidInput(f"{what} has neither content nor template", find("content"), "add one of them")


def _path(value: Any) -> Iterator[_Fault]:
    if not str(value).startswith(_ABSOLUTE):
        yield f"is {kind_of(value)}: it must be an absolute path", None, None


def _validate(value: Any) -> Iterator[_Fault]:
    if "%s" not in str(value):
        yield "does not say where the file stands in the command", "write %s", None


def _provider(value: Any) -> Iterator[_Fault]:
    """Its other keys are whatever the class takes, and may be secrets."""
    if not isinstance(value, Mapping):
        return
    if value.get(_CLASS) is None:
        near = closest(_CLASS, [str(key) for key in value])
        hint = f"did you mean class in place of {near}?" if near else _EXAMPLE
        yield "has no class", hint, key_place_of(value, near) if near else None
    elif not is_computed(value[_CLASS]) and not str(value[_CLASS]).rpartition(".")[1]:
        yield "has a class that is no full name", _EXAMPLE, place_of(value, _CLASS)


def _records(value: Any) -> Iterator[_Fault]:
    for name, entry in value.items() if isinstance(value, Mapping) else ():
        if is_computed(entry):
            continue
        for one in entry if isinstance(entry, list) else [entry]:
            if is_computed(one):
                continue
            place = place_of(one) or place_of(value, name)
            if not isinstance(one, Mapping):
                yield f"has {kind_of(one)} for '{name}': it must be a record, or a list of records", None, place
            elif one.get("type") is None:
                yield f"has a record for '{name}' that has no type", "such as type: A", place


#: Module or role -> argument -> its rule.
_RULES: Mapping[str, Mapping[str, Callable[[Any], Iterator[_Fault]]]] = {
    "tosca.ensemble.dns_records": {"provider": _provider, "records": _records},
    "tosca.ensemble.file_template": {"path": _path, "validate": _validate},
}
#: Roles that write a text.
_TEXTS = ("tosca.ensemble.file_template", "tosca.ensemble.systemd_service")
