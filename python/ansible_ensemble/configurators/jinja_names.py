"""Which filters, tests and lookups there are for templates, found by a look at the files that define them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.jinja_texts import always_rendered, parsed
from ansible_ensemble.configurators.locations import BUILTIN, ansible_homes, is_fqcn
from ansible_ensemble.configurators.module_names import builtin_routes
from ansible_ensemble.core.ansible_settings import may_be_set
from ansible_ensemble.core.hints import nearest

_LOOKUPS = frozenset({"lookup", "query", "q"})
_LOOKUP = "lookup"
#: Lookups that read one file.
_OF_FILES = frozenset({"file", f"{BUILTIN}file"})
#: Has the plugins that plays of operations get.
_OF_PLAYS = Path(__file__).parents[1] / "lanes"
_WORDS = {"filter": "filter", "test": "test", _LOOKUP: "lookup"}


def name_faults(
    text: str, folders: Iterable[Path], signs: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, int, str | None]]:
    """Filters, tests and lookups that a template always uses and that there are not.

    Each is what is wrong, in which line, and a hint. Names of collections are left to Ansible.

    Args:
        text: the template.
        folders: those that may hold `filter_plugins`, `test_plugins` and `lookup_plugins`.
        signs: see `jinja_texts.parsed`.
    """
    folders = tuple(folders)
    for kind, name, line in _used(text, signs):
        short = name.removeprefix(BUILTIN).removeprefix("ansible.legacy.")
        if is_fqcn(short) or may_be_set(f"{kind}_plugins", (f"ANSIBLE_{kind.upper()}_PLUGINS",)):
            continue
        known = _builtin(kind) | builtin_routes(kind)
        if short not in known and not _may_be_own(kind, short, folders):
            yield f"there is no {_WORDS[kind]} {name}", line, nearest(short, known)


def with_fault(key: str, folders: Iterable[Path]) -> str | None:
    """What is wrong with the lookup of a keyword such as `with_items`."""
    found = next(name_faults(f"{{{{ lookup('{key.removeprefix('with_')}') }}}}", folders), None)
    return found[0] if found is not None else None


def looked_up(text: str, signs: Mapping[str, Any] | None = None) -> dict[str, int]:
    """The files that a template always looks up, by their names as they are written -> the line that does."""
    from jinja2 import nodes

    tree, before = parsed(text, signs) or (None, 0)
    found: dict[str, int] = {}
    for node in always_rendered(tree) if tree is not None else ():
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in _LOOKUPS:
            named = [one.value if isinstance(one, nodes.Const) else None for one in node.args]
            if len(named) == 2 and named[0] in _OF_FILES and isinstance(named[1], str) and not node.kwargs:
                found.setdefault(named[1], node.lineno + before)
    return found


def _used(text: str, signs: Mapping[str, Any] | None) -> Iterator[tuple[str, str, int]]:
    from jinja2 import nodes

    read = parsed(text, signs)
    if read is None:
        return
    tree, before = read
    for node in always_rendered(tree):
        line = (node.lineno or 1) + before
        if isinstance(node, nodes.Filter):
            yield "filter", node.name, line
        elif isinstance(node, nodes.Test):
            yield "test", node.name, line
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in _LOOKUPS:
            first = node.args[0] if node.args else None
            if isinstance(first, nodes.Const) and isinstance(first.value, str):
                yield _LOOKUP, first.value, line


def _may_be_own(kind: str, name: str, folders: tuple[Path, ...]) -> bool:
    """Whether a file of plugins of the project's, or of a role's, has this name in it."""
    files = (file for folder in folders for file in folder.glob(f"{kind}_plugins/*.py"))
    beside = (file for folder in folders for file in folder.glob(f"roles/*/{kind}_plugins/*.py"))
    return any(name in (file.stem, *_words(file, file.stat().st_mtime_ns)) for file in (*files, *beside))


@lru_cache(maxsize=256)
def _words(file: Path, _changed: int) -> frozenset[str]:
    """The texts in a source."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return frozenset(filter(str.isidentifier, texts))


@lru_cache(maxsize=4)
def _builtin(kind: str) -> frozenset[str]:
    """The names of Ansible's and Jinja's own, and of those that plays of operations have besides."""
    from jinja2 import filters, tests

    of_jinja: Mapping[str, object] = {"filter": filters.FILTERS, "test": tests.TESTS}.get(kind, {})
    folders = [home / "plugins" / kind for home in ansible_homes()]
    stems = {file.stem for folder in folders for file in folder.glob("*.*")}
    if kind != _LOOKUP:
        folders.append(_OF_PLAYS / f"{kind}s")
        sources = (file for folder in folders for file in folder.glob("*.py"))
        stems = stems.union(*(_words(file, 0) for file in sources))
    return frozenset(stems).union(of_jinja)
