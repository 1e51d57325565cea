"""Values in files of variables that an implementation has, as the defaults of a role, where no git keeps the text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.operations import is_brief
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import holds_secret, is_sensitive, redact
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.planning.plan import ValueChange

_FOLDERS = frozenset({"defaults", "vars"})
_SUFFIXES = frozenset({".yml", ".yaml", ".json"})
#: Characters of the values of all files of an operation that are recorded.
_MOST = 8_000
_DIGEST, _VALUES, _OTHERS = "digest", "values", "others"


def with_values(parts: Mapping[str, str], root: Path, may_show: Callable[[str, Any], bool]) -> dict[str, Any]:
    """The digests of files by name; of a file of variables that git does not have, with its values as well.

    Those that may not be shown or are long are there by their names.
    """
    found: dict[str, Any] = dict(parts)
    files = [name for name in parts if not _FOLDERS.isdisjoint(name.split("/"))]
    if not files or any((folder / ".git").exists() for folder in (root, *root.parents)):
        return found
    left = _MOST
    for name in files:
        variables = _variables(root / name)
        values = {key: value for key, value in variables.items() if _is_shown(key, value, may_show)}
        left -= len(json.dumps(values))
        if values and left >= 0:
            others = sorted(variables.keys() - values.keys())
            found[name] = {_DIGEST: parts[name], _VALUES: values, **({_OTHERS: others} if others else {})}
    return found


def digest_of(part: Any) -> str | None:
    """The digest of a file as `with_values` has it."""
    return part.get(_DIGEST) if isinstance(part, dict) else part


def value_changes(part: Any, file: Path, shown: str, may_show: Callable[[str, Any], bool]) -> Iterator[ValueChange]:
    """The changed values of a file since `with_values` had it; none if it had no values of it."""
    if not isinstance(part, dict):
        return
    before, now = part[_VALUES], _variables(file)
    for name in {**before, **now}:
        if name in part.get(_OTHERS, ()) or before.get(name) == redact(now.get(name)):
            continue
        after = now.get(name)
        hidden = name in now and not _is_shown(name, after, may_show)
        yield ValueChange("variable", f"{name} of {shown}", before.get(name), after, sensitive=hidden)


def _is_shown(name: str, value: Any, may_show: Callable[[str, Any], bool]) -> bool:
    return not is_sensitive(value) and not holds_secret(name, value) and is_brief(value) and may_show(name, value)


def _variables(file: Path) -> dict[str, Any]:
    """The variables of a file, as plain data; none if it is no file of variables, or cannot be read."""
    if file.suffix not in _SUFFIXES or _FOLDERS.isdisjoint(file.parts) or not file.is_file():
        return {}
    try:
        data = read_yaml(file).data
    except EnsembleError:  # a vault without its password, or a fault that the play will tell
        return {}
    if not isinstance(data, Mapping):
        return {}
    return {str(name): _plain(value) for name, value in data.items()}


def _plain(value: Any) -> Any:
    return value if is_sensitive(value) else json.loads(json.dumps(value, default=str))
