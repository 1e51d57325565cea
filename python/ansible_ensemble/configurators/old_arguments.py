"""Arguments that a module takes under a name that it says is old, read from its source, of which nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from ansible_ensemble.configurators.argument_rules import entries_of
from ansible_ensemble.configurators.module_names import module_file

_ALIASES = "deprecated_aliases"
_REMOVED = ("removed_in_version", "removed_at_date")


def old_arguments(name: str, collections: Iterable[Path], libraries: Iterable[Path] = ()) -> Mapping[str, str]:
    """The old names of arguments of a module -> the names to write; empty of one that is to go without another."""
    beside = (folder / f"{name}.py" for folder in libraries)
    file = next((one for one in beside if one.is_file()), None) or module_file(name, collections)
    return _of_source(file) if file is not None and file.suffix == ".py" else {}


@lru_cache(maxsize=256)
def _of_source(file: Path) -> Mapping[str, str]:
    source = file.read_bytes()
    if not any(word.encode() in source for word in (_ALIASES, *_REMOVED)):
        return {}
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        for name, value in (entries_of(node) or {}).items():
            said = entries_of(value) or {}
            if any(key in said for key in _REMOVED):
                found[name] = ""
            listed = said.get(_ALIASES)
            for one in listed.elts if isinstance(listed, ast.List | ast.Tuple) else ():
                alias = (entries_of(one) or {}).get("name")
                if isinstance(alias, ast.Constant):
                    found[str(alias.value)] = name
    return found
