"""Values of a release as they may be shown: Helm hands them back in clear, and those of before as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.configurators.helm_inputs import values_of
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.configurators.results import as_map
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import REDACTED, Sensitive, is_secret_name, is_sensitive, reveal

_CHANGED = f"{REDACTED} (changed)"
_DOT = regex(r"(?<!\\)\.")


def hide_secrets(task: Task, live: Mapping[str, Any]) -> None:
    """Mask from now on what a release has where its values are secrets, be it the secrets of before."""
    for path in secret_paths(task):
        found = _at(live, path)
        if found not in (None, "", True, False):
            task.hide(found)


def shown_values(
    task: Task, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values before and after, without secrets; texts that only those before have may be secrets that were removed."""
    return _shown(before, after, secret_paths(task))


def secret_paths(task: Task) -> set[tuple[str, ...]]:
    """Where values are secrets, or are lists with some."""
    found = set(_secrets(values_of(task), ()))
    for path, value in as_map(task.inputs.get("set"), "the input set must be", task).items():
        if is_sensitive(value):
            found.add(_parts(str(path)))
    return found


def _parts(path: str) -> tuple[str, ...]:
    """The keys that a path of `set` leads by, as far as the first list."""
    before, bracket, _tail = path.partition("[")
    parts = tuple(part.replace("\\.", ".") for part in _DOT.split(before))
    return parts if bracket or parts else ()


def _secrets(value: Any, path: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    if isinstance(value, Mapping) and not isinstance(value, Sensitive):
        for key, item in value.items():
            yield from _secrets(item, (*path, str(key)))
    elif is_sensitive(value):
        yield path


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, Mapping) else None
    return reveal(values)


def _shown(
    before: Mapping[str, Any], after: Mapping[str, Any], secrets: set[tuple[str, ...]], path: tuple[str, ...] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for key in sorted({*before, *after}):
        here, mine, theirs = (*path, key), before.get(key), after.get(key)
        if here in secrets or is_secret_name(key):
            pair: tuple[Any, Any] = REDACTED, REDACTED if mine == theirs or key not in before else _CHANGED
        elif isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            pair = _shown(mine, theirs, secrets, here)
        else:
            pair = mine if key in after else _without_texts(mine), _hidden(theirs, secrets, here)
        old |= {key: pair[0]} if key in before else {}
        new |= {key: pair[1]} if key in after else {}
    return old, new


def _without_texts(value: Any) -> Any:
    """A value that is no longer wanted: nobody says which of its texts were secrets."""
    if isinstance(value, Mapping):
        return {key: _without_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_texts(item) for item in value]
    return REDACTED if isinstance(value, str) else value


def _hidden(value: Any, secrets: set[tuple[str, ...]], path: tuple[str, ...]) -> Any:
    """A value with the secrets in it masked."""
    return _shown({}, value, secrets, path)[1] if isinstance(value, Mapping) else value
