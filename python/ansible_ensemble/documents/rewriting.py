"""Rewrites of a text at known places: each other byte stays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.notices import Rewrite
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.places import Source
from ansible_ensemble.documents.yaml import parse_yaml

#: What comes before the content of a file: blank lines, comments, directives of YAML and the mark of its document.
_BEFORE = regex(r"(?:[ \t]*(?:#[^\n]*|%[^\n]*|---[ \t]*(?:#[^\n]*)?)?\r?\n)*")
_YAML = frozenset({".yaml", ".yml", ".json"})


def rewritten(path: Path, text: str, rewrites: Iterable[tuple[Place, Rewrite]]) -> str:
    """The text of a file with each rewrite that its place allows.

    A rewrite is left out where the text at its place is another, as with an anchor or an alias: people have to look
    there themselves. All are left out where the new text could not be read.
    """
    mark, body = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    source = Source(str(path), body)
    edits: dict[int, tuple[int, str]] = {}
    for place, rewrite in rewrites:
        if (edit := _edit(source, place, rewrite)) is not None:
            edits.setdefault(edit[0], edit[1:])
    for start, (end, new) in sorted(edits.items(), reverse=True):
        body = body[:start] + new + body[end:]
    if path.suffix in _YAML:
        try:
            parse_yaml(body, str(path))
        except InvalidInput:
            return text
    return mark + body


def can_rewrite(text: str, place: Place, rewrite: Rewrite) -> bool:
    """Whether the place of a rewrite allows it."""
    return _edit(Source("", text.removeprefix("\ufeff")), place, rewrite) is not None


def _edit(source: Source, place: Place, rewrite: Rewrite) -> tuple[int, int, str] | None:
    """Start and end of what a rewrite replaces, and the new text; None where something else is there."""
    if not rewrite.old:
        return _insertion(source.text, rewrite.new)
    start = source.index(place)
    found = re.compile(rf"(['\"]?){re.escape(rewrite.old)}\1(?=[\s,:\]}}]|$)").match(source.text, start)
    return (start, found.end(), rewrite.new) if found else None


def _insertion(text: str, new: str) -> tuple[int, int, str] | None:
    """New first lines of a file, below its comments; None for what is in flow style, as JSON is."""
    before = _BEFORE.match(text)
    at = before.end() if before else 0
    if text[at : at + 1] in {"{", "[", ""} or text[at].isspace():
        return None
    return at, at, new.replace("\n", "\r\n") if "\r\n" in text else new
