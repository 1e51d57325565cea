"""Merge directives: keys of a map that say what to merge into it.

The directives, as Unfurl's files have them:

- `+include: file`, `+include-name: {file: …, repository: …}`: the content of another YAML file; by `file#/a/b`: what
  is at `/a/b` in it
- `+/a/b`: the value at `/a/b` in this file; `+./a`: at `a` in the map of the directive, each further dot one up
- `+*anchor`, `+*anchor/a`: what the anchor names, by YAML's `&anchor` or by the key `+&: anchor` in a map
- `+?…`: any of them, where it is no error if there is nothing
- `+%: merge|whiteout|nullout|error` in a map: merge with what it meets, delete it, make it null, refuse it

Later directives win over earlier ones, and the map's own entries over all. Lists are merged by adding the items that
are not there yet. A directive whose value is `raw` takes what it names unexpanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.paths import confine, is_file, is_there
from ansible_ensemble.documents.places import Map, Seq, key_place_of, place_of
from ansible_ensemble.documents.pointers import Nothing, follow, fragment_of, pointer_parts
from ansible_ensemble.documents.yaml import MAX_DEPTH, Document, read_yaml

STRATEGY = "+%"
ANCHOR = "+&"
MAX_EXPANDED = 1_000_000
"""How many maps and lists an expansion may visit: directives that double each other grow without end."""

RepositoryFinder = Callable[[str], Path | None]
"""Returns the folder of a repository by its name, None where there is none of that name."""

FileReader = Callable[[Path], Document]
"""Reads a file that a directive includes."""


def expand(
    document: Document,
    *,
    roots: Iterable[Path] = (),
    find_repository: RepositoryFinder = lambda _value: None,
    included: list[Path] | None = None,
    read: FileReader = read_yaml,
) -> Any:
    """Return the document's data with each merge directive applied.

    The document stays as it is, and values keep their places, those from other files too. Data without a directive is
    returned as it is, not copied.

    Args:
        document: what was read.
        roots: the folders that included files may lie in; the document's own folder is one of them.
        find_repository: finds the folder of a repository that an `+include` names; its files may be included.
        included: gets the files that were included.
        read: reads an included file.
    """
    if "+" not in document.text or not _MAYBE.search(document.text):
        return document.data
    files = _Files([document.path.absolute().parent, *roots], find_repository, read)
    data = _Expansion(document, files, ()).expand(document.data, ())
    if included is not None:
        included.extend(files.known)
    if isinstance(data, Nothing):
        return Map()
    return _cleaned(data)


class _Directive(Struct, frozen=True):
    """A parsed key: `+`, `?`, `include…`, `*anchor`, dots, `/a/b`."""

    key: str
    optional: bool
    include: bool
    anchor: str
    up: int
    pointer: tuple[str, ...]


class _Files(Struct):
    """The files an expansion may include, each read once, and how much was expanded."""

    roots: list[Path]
    find_repository: RepositoryFinder
    read: FileReader
    known: dict[Path, Document] = field(default_factory=dict)
    done: dict[int, tuple[Any, int]] = field(default_factory=dict)
    visited: int = 0

    def visit(self, count: int, place: Place | None) -> None:
        """Count visits of maps and lists; what is taken from `done` counts as often as it is taken."""
        self.visited += count
        if self.visited > MAX_EXPANDED:
            raise InvalidInput("the merge directives make the document too large", place)


class _Expansion:
    """The expansion of one file; included files have one of their own."""

    def __init__(self, document: Document, files: _Files, chain: tuple[tuple[Any, str], ...]) -> None:
        self.document = document
        self.files = files
        self.chain = chain
        self.named: dict[str, Any] | None = None

    def expand(self, value: Any, path: tuple[Any, ...]) -> Any:
        """Return a value with the directives in it applied; the same object where there are none."""
        if not isinstance(value, (dict, list)):
            return value
        self.files.visit(1, place_of(value))
        if len(path) > MAX_DEPTH or len(self.chain) > MAX_DEPTH:
            raise InvalidInput(f"maps and lists are nested deeper than {MAX_DEPTH}", place_of(value))
        return self.expand_map(value, path) if isinstance(value, dict) else self.expand_list(value, path)

    def expand_list(self, value: list[Any], path: tuple[Any, ...]) -> Any:
        """Return a list expanded; a list that comes in place of an item is spliced in."""
        result = Seq()
        if isinstance(value, Seq):
            result.source, result.start = value.source, value.start
        changed = False
        for index, item in enumerate(value):
            if isinstance(item, dict) and item.get(STRATEGY) == "whiteout":
                changed = True
                continue
            expanded = self.expand(item, (*path, index))
            changed = changed or expanded is not item
            mark = value.marks[index] if isinstance(value, Seq) and index < len(value.marks) else result.start
            items = [expanded]
            if isinstance(expanded, Nothing):
                items = []
            elif isinstance(item, dict) and isinstance(expanded, list):
                items = expanded
            result.extend(items)
            result.marks.extend([mark] * len(items))
        return result if changed else value

    def expand_map(self, value: dict[Any, Any], path: tuple[Any, ...]) -> Any:
        """Return a map expanded, or what replaces it."""
        own = _empty_like(value)
        found: list[Any] = []
        changed = False
        for key, item in value.items():
            directive = _parse(key, value) if isinstance(key, str) and key[:1] == "+" else None
            if directive is not None:
                changed = True
                place = key_place_of(value, key)
                result = self.resolve(directive, item, path, place)
                if isinstance(result, Nothing):
                    continue
                if not isinstance(result, dict) and len(value) > 1:
                    raise InvalidInput(f"{key} names no map: it cannot be merged into one", place)
                found.append(result)
                continue
            expanded = self.expand(item, (*path, key))
            changed = changed or expanded is not item
            if not isinstance(expanded, Nothing):
                own.adopt(key, expanded, value)
        if not changed:
            return value
        if found and not isinstance(found[0], dict):
            return found[0]
        if not found:
            return own if own or not all(isinstance(key, str) and key[:1] == "+" for key in value) else Nothing()
        merged = found[0]
        for layer in [*found[1:], own]:
            merged = merge_maps(merged, layer)
        return merged

    def resolve(self, directive: _Directive, value: Any, path: tuple[Any, ...], place: Place | None) -> Any:
        """Return what a directive names, expanded."""
        expansion = self
        at: tuple[Any, ...] = ()
        pointer = directive.pointer
        if directive.include:
            document = self.include(directive, value, place)
            if document is None:
                return Nothing()
            expansion = _Expansion(document, self.files, self.chain)
            target, pointer = document.data, (*fragment_of(value, place), *pointer)
        elif directive.anchor:
            target = self.anchored(directive.anchor)
        elif directive.up:
            at = path[: len(path) - directive.up + 1]
            target = follow(self.document.data, at) if directive.up <= len(path) + 1 else Nothing()
        else:
            target = self.document.data
        if directive.include and directive.anchor:
            target = expansion.anchored(directive.anchor)
        target, at = follow(target, pointer), (*at, *pointer)
        if isinstance(target, Nothing):
            if directive.optional:
                return target
            raise InvalidInput(f"{directive.key} names nothing", place, "begin it with +? if it may be missing")
        if value == "raw" and not directive.include:
            return target
        step = (id(target), f"{directive.key} ({place})")
        if any(known == step[0] for known, _other in self.chain) or _contains(at, path, expansion is self, directive):
            names = " -> ".join([*(name for _other, name in self.chain), step[1]])
            raise InvalidInput(f"merge directives form a cycle: {names}", place)
        if step[0] in self.files.done:
            result, count = self.files.done[step[0]]
            self.files.visit(count, place)
            return result
        before = self.files.visited
        result = _Expansion(expansion.document, self.files, (*self.chain, step)).expand(target, at)
        self.files.done[step[0]] = (result, self.files.visited - before)
        return result

    def include(self, directive: _Directive, value: Any, place: Place | None) -> Document | None:
        """Return the file an `+include` names, None where it is optional and missing."""
        name, repository = (value.get("file"), value.get("repository")) if isinstance(value, dict) else (value, None)
        if not isinstance(name, str) or not isinstance(repository, (str, type(None))):
            raise InvalidInput(f"{directive.key} needs the name of a file", place, "or a map of file and repository")
        unknown = next((key for key in value if key not in _INCLUDE), None) if isinstance(value, dict) else None
        if unknown is not None:
            raise InvalidInput(
                f"{directive.key} takes no {unknown!r}", key_place_of(value, unknown), "file, repository"
            )
        name = name.partition("#")[0]
        base, roots = self.document.path.absolute().parent, self.files.roots
        if repository is not None:
            folder = self.files.find_repository(repository)
            if folder is None:
                if directive.optional:
                    return None
                raise InvalidInput(f"there is no repository {repository!r}", place)
            base, roots = folder, [folder]
            self.files.roots.append(folder)  # what the file includes in turn lies beside it
        path = confine(name, base, roots, "the included file", place)
        if directive.optional and not is_there(path):
            return None
        if path not in self.files.known:
            if not is_file(path):
                raise InvalidInput(f"there is no file {name}", place, "begin it with +? if it may be missing")
            self.files.known[path] = self.files.read(path)
        return self.files.known[path]

    def anchored(self, name: str) -> Any:
        """Return what an anchor names."""
        if name in self.document.anchors:
            return self.document.anchors[name]
        if self.named is None:
            self.named = {}
            waiting = [self.document.data]
            while waiting:
                value = waiting.pop()
                if isinstance(value, dict):
                    if isinstance(value.get(ANCHOR), str):
                        self.named.setdefault(value[ANCHOR], value)
                    waiting.extend(value.values())
                elif isinstance(value, list):
                    waiting.extend(value)
        return self.named.get(name, Nothing())


def merge_maps(base: Mapping[Any, Any], over: Mapping[Any, Any]) -> Map:
    """Return a map with the entries of both; maps and lists in both are merged, else `over` wins."""
    result = _empty_like(over)
    for key, value in base.items():
        if key not in over:
            result.adopt(key, value, base)
            continue
        new = over[key]
        strategy = _strategy(new) or _strategy(value) or "merge"
        if strategy == "whiteout":
            continue
        if strategy == "nullout":
            result.adopt(key, None, over)
        elif isinstance(value, dict) and isinstance(new, (dict, type(None))):
            if strategy == "error":
                raise InvalidInput(f"{key!r} must not be merged: it has +%: error", key_place_of(over, key))
            result.adopt(key, merge_maps(value, new) if new else value, over if new else base)
        elif isinstance(value, list) and isinstance(new, list):
            result.adopt(key, _merge_lists(value, new), over)
        else:
            result.adopt(key, new, over)
    for key, value in over.items():
        if key not in base:
            result.adopt(key, value, over)
    return result


def _merge_lists(base: list[Any], over: list[Any]) -> list[Any]:
    """Return the base with what is new; an entry of a list of one-key maps is merged with its namesake."""
    result = list(base)
    for index, item in enumerate(over):
        if isinstance(item, dict):
            match = -1
            if item.get(STRATEGY) == "merge":
                match = index if index < len(base) and isinstance(base[index], dict) else -1
            elif len(item) == 1:
                match = next(
                    (n for n, known in enumerate(result) if isinstance(known, dict) and [*known] == [*item]), -1
                )
            if match >= 0:
                result[match] = merge_maps(result[match], item)
                continue
        if item not in result:
            result.append(item)
    return result


def _strategy(value: Any) -> str | None:
    """Return the strategy that a map asks for."""
    if not isinstance(value, dict) or STRATEGY not in value:
        return None
    strategy = value[STRATEGY]
    if strategy not in ("merge", "whiteout", "nullout", "error"):
        raise InvalidInput(
            f"+%: {strategy!r} is not known", place_of(value, STRATEGY), "use merge, whiteout, nullout or error"
        )
    return str(strategy)


def _cleaned(value: Any) -> Any:
    """Return the data without the directives that met nothing; the same object where there are none."""
    if isinstance(value, list):
        items = [_cleaned(item) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        result = Seq(items)
        if isinstance(value, Seq):
            result.source, result.start, result.marks = value.source, value.start, value.marks
        return result
    if not isinstance(value, dict):
        return value
    kept = _empty_like(value)
    changed = False
    for key, item in value.items():
        if key in (STRATEGY, ANCHOR) or _strategy(item) in ("whiteout", "nullout"):
            changed = True
            continue
        new = _cleaned(item)
        changed = changed or new is not item
        kept.adopt(key, new, value)
    return kept if changed else value


def _empty_like(value: Mapping[Any, Any]) -> Map:
    """Return an empty map at the position of the other one."""
    result = Map()
    if isinstance(value, Map):
        result.source, result.start = value.source, value.start
    return result


def _parse(key: str, owner: dict[Any, Any]) -> _Directive | None:
    """Return the directive that a key is, None if it is an ordinary key."""
    match = _KEY.fullmatch(key)
    if match is None or key in (STRATEGY, ANCHOR):
        return None
    optional, include, anchor, dots, pointer = match.groups()
    if not (include or anchor or dots or pointer):
        return None
    parts = pointer_parts(pointer, key, key_place_of(owner, key))
    return _Directive(key, bool(optional), bool(include), anchor or "", len(dots or ""), parts)


def _contains(at: tuple[Any, ...], path: tuple[Any, ...], same_file: bool, directive: _Directive) -> bool:
    """Whether what a directive names holds the directive itself."""
    return same_file and not directive.anchor and [*map(str, path[: len(at)])] == [*map(str, at)]


_INCLUDE = ("file", "repository")
_KEY = regex(r"\+(\?)?(include(?:[-\w]*))?(?:\*([^/.]+))?(\.+)?((?:/[^/]*)*)")
_MAYBE = regex(r"""(?m)(?:^|[\s{,"'-])\+[?*./&%i]""")
