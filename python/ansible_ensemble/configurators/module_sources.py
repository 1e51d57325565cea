"""The source of a module, with the module_utils that it imports; nothing of it is imported here."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

#: Gives the file of a module_util by its Python name; None if there is none, or it is not asked for.
FindUtil = Callable[[str], str | None]

_OF_COLLECTIONS = "ansible_collections."
_OF_ANSIBLE = "ansible.module_utils."


def sources(name: str, path: str, find: FindUtil) -> Iterator[bytes]:
    """The source of a module, and of the module_utils that it reaches by its imports.

    Args:
        name: the module's Python name, against which its relative imports are resolved.
        path: its file.
        find: gives the files of module_utils. What those of Ansible itself import is not looked at.
    """
    yield Path(path).read_bytes()
    reached, fresh = set[str](), _imported(name, path)
    while fresh:
        reached |= fresh
        found = {util: file for util in fresh if (file := find(util))}
        for file in found.values():
            yield Path(file).read_bytes()
        followed = {util: file for util, file in found.items() if util.startswith(_OF_COLLECTIONS)}
        fresh = frozenset().union(*(_imported(util, file) for util, file in followed.items())) - reached


def util_file(name: str, base: Path) -> str | None:
    """The file of a module_util whose name begins in a folder; it may be a package."""
    path = base.joinpath(*name.split("."))
    files = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((str(file) for file in files if file.is_file()), None)


@functools.lru_cache(maxsize=4)  # the same file is read for its imports, its documentation, its rules and its secrets
def syntax_tree(source: bytes) -> ast.Module | None:
    """What a source says; None if it is no Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


@functools.cache
def _imported(name: str, path: str) -> frozenset[str]:
    """Names that a file may import as module_utils; some are names in one of them."""
    tree = syntax_tree(Path(path).read_bytes())
    if tree is None:
        return frozenset()
    package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    return frozenset(one for node in ast.walk(tree) for one in _names(node, package) if ".module_utils" in one)


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.startswith((_OF_COLLECTIONS, _OF_ANSIBLE)))
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        above = parts[: len(parts) - node.level + 1] if node.level else []
        base = ".".join((*above, *filter(None, [node.module])))
        if f"{base}.".startswith((_OF_COLLECTIONS, _OF_ANSIBLE)):
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
