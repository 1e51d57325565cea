"""What the source of a module says of how it runs, with the module_utils that it imports."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

#: Where a module gets its arguments from, and how it reports.
_BASE = re.compile(rb"\bAnsibleModule\b")
#: What starts the module once more, or reads files of its own archive.
_EXPECTS_A_PROGRAM = (b"respawn_module", b"WANT_JSON", b"<<INCLUDE_ANSIBLE_MODULE_")


def runs_in_a_fork(name: str, path: str) -> bool:
    """Whether a Python module makes an `AnsibleModule`, itself or in a module_util, and never starts itself again.

    Args:
        name: the module's Python name, against which its relative imports are resolved.
        path: its file.
    """
    sources = list(_sources(name, path))
    if any(word in source for source in sources for word in _EXPECTS_A_PROGRAM):
        return False
    return any(_BASE.search(source) for source in sources)


def _sources(name: str, path: str) -> Iterator[bytes]:
    """The source of a module and of the module_utils of collections that it reaches by its imports."""
    yield Path(path).read_bytes()
    reached, fresh = set[str](), _imported(name, path)
    while fresh:
        reached |= fresh
        found = {util: file for util in fresh if (file := _file(util))}
        for file in found.values():
            yield Path(file).read_bytes()
        fresh = frozenset().union(*(_imported(util, file) for util, file in found.items())) - reached


@functools.cache
def _imported(name: str, path: str) -> frozenset[str]:
    """Names that a file may import as module_utils of collections; some are names in one of them."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (SyntaxError, ValueError):
        return frozenset()
    package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    return frozenset(one for node in ast.walk(tree) for one in _names(node, package) if ".module_utils" in one)


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.startswith("ansible_collections."))
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        above = parts[: len(parts) - node.level + 1] if node.level else []
        base = ".".join((*above, *filter(None, [node.module])))
        if base.startswith("ansible_collections."):
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


@functools.cache
def _file(name: str) -> str | None:
    """The file of a module_util, None if there is none: it is a name in one, or a collection that is missing."""
    try:
        spec = find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    return spec.origin if spec and spec.origin and spec.origin.endswith(".py") else None
