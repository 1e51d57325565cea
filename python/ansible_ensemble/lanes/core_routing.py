"""Core's file of renamed plugins, `ansible_builtin_runtime.yml`, parsed only as far as somebody asks for it.

Nearly all of it is about modules that have moved to collections. Parsing it takes longer than all else that core does
to read an inventory, for which a few lines of it are asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Parse = Callable[[str], Any]

_FILE = ("ansible.builtin", "runtime.yml")
#: What ties a part of a document to others.
_TIE = re.compile(r"^(?:---|\.\.\.|%)|[:-] +[&*]", re.MULTILINE)


def parse_when_asked() -> None:
    """Have core parse its file so from now on, in this process."""
    from ansible.utils.collection_loader import _collection_finder as finder

    parse = finder._meta_yml_to_dict

    def parsed(text: bytes, identity: Any) -> Any:
        return lazily(text.decode(), lambda part: parse(part, identity)) if identity == _FILE else parse(text, identity)

    finder._meta_yml_to_dict = parsed


def redirections() -> Mapping[str, Any]:
    """The modules of core that are imported in place of others, by their names."""
    from ansible.utils.collection_loader._collection_finder import _get_collection_metadata

    found: Mapping[str, Any] = _get_collection_metadata("ansible.builtin").get("import_redirection", {})
    return found


def lazily(text: str, parse: Parse) -> Mapping[str, Any]:
    """The mapping that a YAML document is; its parts are parsed when they are asked for."""
    found = None if _TIE.search(text) else _parts(text, parse, "")
    return parse(text) if found is None else found


def _parts(text: str, parse: Parse, indent: str) -> _Parts | None:
    """The parts of a mapping with this indentation; None if not each begins with a line that only names it."""
    heads = list(re.finditer(rf"^{indent}(?=[^\s#])(?:(\w+): *$)?", text, re.MULTILINE))
    names = {head[1] for head in heads}
    if not heads or None in names or len(names) < len(heads):
        return None
    ends = [*(head.start() for head in heads[1:]), len(text)]
    texts = {head[1]: text[head.start() : end] for head, end in zip(heads, ends, strict=True)}
    return _Parts(texts, parse, indent)


class _Parts(Mapping[str, Any]):
    """By name the parts of a mapping, each parsed when it is first asked for."""

    def __init__(self, texts: Mapping[str, str], parse: Parse, indent: str) -> None:
        self._texts = texts
        self._parse = parse
        self._indent = indent
        self._parsed: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._parsed:
            text = self._texts[name]
            parts = _parts(text, self._parse, f"{self._indent}  ")
            self._parsed[name] = self._parse(text)[name] if parts is None else parts
        return self._parsed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
