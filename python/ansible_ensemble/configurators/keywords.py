"""The keywords of Ansible's plays, blocks and tasks, their values, and the keys of an implementation that act."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ansible_ensemble.configurators.arguments import BOOLEANS
from ansible_ensemble.configurators.jinja_texts import expression_fault, syntax_fault
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.texts import named_texts
from ansible_ensemble.documents.json_schema import schema_fault
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.playbook_keywords import ELSEWHERE, IN_RESOURCES, PLAY_KEYS, TASK_KEYS

#: A task's keywords whose values are expressions.
CONDITIONS = ("when", "changed_when", "failed_when", "until")


_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_SHARE = re.compile(r"\d+%?")


def _is_yes_or_no(value: Any) -> bool:
    return str(value).lower() in BOOLEANS


def _is_number(value: Any) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return not isinstance(value, bool)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and all(isinstance(one, Mapping) for one in value))


def _is_share(value: Any) -> bool:
    listed = value if isinstance(value, list) else [value]
    return all(is_computed(one) or _SHARE.fullmatch(str(one)) for one in listed)


def _is_list_of_words(value: Any) -> bool:
    return not isinstance(value, Mapping)


#: Kinds of values: whether one is of it, and what to write.
_YES_OR_NO = (_is_yes_or_no, "is neither true nor false", "write true or false")
_NUMBER = (_is_number, "is no number", "write a number")
_MAP = (_is_map, "is no map", "write NAME: VALUE in it")
_SHARES = (_is_share, "is no number of hosts", "write a number, a percentage, or a list of these")
_WORDS = (_is_list_of_words, "is a map", "write a word or a list of words")
_NAME = (
    lambda value: _VARIABLE.fullmatch(str(value)) is not None,
    "is no name of a variable",
    "a name has letters, digits and underscores, and begins with no digit",
)
_TEXT = (lambda value: not isinstance(value, (list, Mapping)), "is a list or a map", "write one text")
_LIST = (lambda value: isinstance(value, list), "is no list", "begin each with '- '")
_KINDS: Mapping[str, tuple[Callable[[Any], bool], str, str]] = {
    **dict.fromkeys(
        ("any_errors_fatal", "become", "check_mode", "delegate_facts", "diff", "force_handlers", "gather_facts"),
        _YES_OR_NO,
    ),
    **dict.fromkeys(("ignore_errors", "ignore_unreachable", "no_log", "run_once"), _YES_OR_NO),
    **dict.fromkeys(("async", "delay", "gather_timeout", "poll", "port", "retries", "throttle", "timeout"), _NUMBER),
    **dict.fromkeys(("vars", "environment"), _MAP),
    **dict.fromkeys(("become_exe", "become_flags", "become_method", "become_user"), _TEXT),
    **dict.fromkeys(("connection", "delegate_to", "name", "remote_user", "strategy"), _TEXT),
    "tags": _WORDS,
    "register": _NAME,
    "serial": _SHARES,
    "roles": _LIST,
}


def keyword_faults(written: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Keywords whose values Ansible does not take: the keyword, what is wrong with its value, and a hint."""
    for key, value in written.items():
        fits, problem, hint = _KINDS.get(str(key), (None, "", ""))
        if fits is not None and value is not None and not is_computed(value) and not fits(value):
            yield str(key), problem, hint


#: The serial group that each host has one of.
PER_HOST = "host"
#: What the job itself acts on, or the topology's reader did, whatever the configurator.
JOB_KEYS = frozenset(
    {"retries", "delay", "backoff", "serial", "idempotent", "fast", "inputs", "outputs", "description", "metadata"}
    | {"preConditions"}
)
_FILE_KEYS = frozenset({"file", "type", "repository"})  #: of an artifact in place of the implementation
#: Keys of Unfurl's that ask for what is done anyway, or that do nothing there.
_IDLE = frozenset({"entry_state", "postConditions"})
#: Task keywords that a command on the controller has only by way of Ansible, which then executes it.
BY_ANSIBLE = tuple(sorted(TASK_KEYS - {"environment"}))

#: Keywords that mean something else to a job, which says so.
_READ_BY_JOBS = frozenset({"environment", "retries", "serial", "timeout"})
_IN_PLAY = "write it in the playbook"


#: Task keywords that make no sensible name of a variable or argument.
_NO_INPUTS = frozenset(
    {"when", "changed_when", "failed_when", "ignore_errors", "register", "become", "become_user", "delegate_to"}
    | {"no_log", "with_items", "loop_control"}
)
_PLAY_INPUTS = {"inventory": "only a playbook has an inventory of its own; operation_host names a host of the job's"}
#: Configurator -> inputs that Unfurl's has, and ours does not act on, with what to know in their place.
OTHERS_INPUTS: Mapping[str, Mapping[str, str]] = {
    "tasks": _PLAY_INPUTS,
    "role": _PLAY_INPUTS,
    "script": {"keeplines": "a script's lines are kept as they are"},
}
_WITH_VARIABLES = ("command", "script", "module", "tasks", "role", "playbook")


def check_keywords(operation: Operation, configurator: str, keys: frozenset[str]) -> None:
    """Refuse keys of an implementation, and keywords among the inputs, that nothing would act on.

    The configurator acts on these keys, and the job on its own.

    Raises:
        InvalidInput: there is such a key.
    """
    implementation = operation.implementation
    if implementation is None:
        return
    known = keys | JOB_KEYS
    for key in implementation.settings:
        if key not in known | _FILE_KEYS | _IDLE:
            whose = operation.title if operation.resource else f"the implementation of {operation.full_name}"
            what = f"the keyword `{key}`" if operation.resource else f"`{key}`"
            hint = _hint(key, configurator, known, IN_RESOURCES if operation.resource else {})
            raise InvalidInput(f"{whose} has {what}, which is not supported", operation.place, hint)
    _check_values(implementation.settings, operation)
    serial = implementation.settings.get("serial")
    if not is_computed(serial):
        serial_groups(serial, operation)
    others = OTHERS_INPUTS.get(configurator, {})
    for name, assignment in operation.inputs.items():
        if name in others and name not in operation.input_definitions:
            message = f"the input {name} of {operation.full_name} is not supported"
            raise InvalidInput(message, assignment.place or operation.place, others[name])
    if configurator not in _WITH_VARIABLES:
        return
    for name in operation.inputs:
        if name in _NO_INPUTS and name not in operation.input_definitions:
            message = f"the input {name} of {operation.full_name} is a keyword of Ansible's, which has no effect there"
            beside = "write it into the implementation, beside primary:"
            hint = beside if name in known else _hint(name, configurator, known)
            raise InvalidInput(message, operation.inputs[name].place or operation.place, hint)


def _check_values(settings: Mapping[str, Any], operation: Operation) -> None:
    """Refuse values that Ansible does not take for a keyword.

    Raises:
        InvalidInput: there is one.
    """
    whose = operation.title if operation.resource else f"the implementation of {operation.full_name}"
    for key, problem, hint in keyword_faults(settings):
        if key not in _READ_BY_JOBS:
            raise InvalidInput(f"`{key}` of {whose} {problem}", operation.place, hint)
    for name, one in operation.inputs.items() if operation.resource else ():
        for _key, text in named_texts(one.value, name):
            if (found := syntax_fault(text)) is not None:
                raise InvalidInput(f"the template cannot be read: {found[0]}", one.place or operation.place)
    schema = settings.get("preConditions")
    if schema is not None and not is_computed(schema) and (fault := schema_fault(schema)) is not None:
        raise InvalidInput(f"`preConditions` of {whose} is no JSON Schema: {fault}", operation.place)
    for key in CONDITIONS:
        for text in _texts(settings.get(key)):
            if (fault := expression_fault(text)) is not None:
                raise InvalidInput(f"the expression of `{key}` of {whose} cannot be read: {fault}", operation.place)


def _texts(value: Any) -> list[str]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def serial_groups(value: Any, operation: Operation) -> list[str]:
    """The groups of the implementation's `serial`: a name, or a list of names.

    Raises:
        InvalidInput: it is something else.
    """
    names = [value] if isinstance(value, str) else value or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(
            f"the serial of {operation.full_name} is {value!r}",
            operation.place,
            f'write a name or a list of names; "{PER_HOST}" is one at a time on each host',
        )
    return names


def _hint(
    key: str, configurator: str, known: frozenset[str], first: Mapping[str, str] = MappingProxyType({})
) -> str | None:
    key = "loop" if key.startswith(("with_", "loop_")) else key
    if configurator == "playbook" and key in PLAY_KEYS | TASK_KEYS:
        return _IN_PLAY
    return first.get(key) or ELSEWHERE.get(key) or nearest(key, known)
