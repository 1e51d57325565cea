"""Functions that the files beside a file of TOSCA 2.0 define, which it imports [TOSCA 2.0, 10.4]."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.merge import FileReader
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.version_2 import read_functions
from ansible_ensemble.language.version_2_calls import OwnFunction

#: The file that a URL means in a folder; None if it is not there, or may not be read.
Find = Callable[[str, Path], Path | None]


def imported_functions(
    raw: Mapping[str, Any], base: Path, find: Find, read_file: FileReader, above: frozenset[Path] = frozenset()
) -> dict[str, OwnFunction]:
    """The functions by the names that the file knows them under; what is wrong is told when the files are imported."""
    found: dict[str, OwnFunction] = {}
    entries = raw.get("imports")
    for entry in entries if isinstance(entries, list) else ():
        named = {"url": entry} if isinstance(entry, str) else entry if isinstance(entry, Mapping) else {}
        url = named.get("url")
        path = find(url, base) if isinstance(url, str) and "repository" not in named else None
        if path is None or path.resolve() in above:
            continue
        with suppress(InvalidInput):
            data = read_file(path).data
            if not isinstance(data, Mapping):
                continue
            inner = imported_functions(data, path.parent, find, read_file, above | {path.resolve()})
            prefix = f"{named['namespace']}:" if named.get("namespace") else ""
            folder = os.path.relpath(path.parent, base)
            own = {**inner, **read_functions(data, Problems())}
            found |= {f"{prefix}{name}": one.beside(folder) for name, one in own.items()}
    return found
