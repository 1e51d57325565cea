"""Writes changed data into the text it came from: only what differs is replaced, each other byte stays."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.places import Map, Seq
from ansible_ensemble.documents.round_trip import round_trip
from ansible_ensemble.documents.scalars import VaultText, with_texts
from ansible_ensemble.documents.yaml import Document, parse_events, parse_yaml

_INDENT = regex(r"\{\r?\n( +)")


def rewritten_json(document: Document, data: Any) -> str | None:
    """The data as JSON, indented as the document is; None where that is not JSON, or the data cannot be told in it."""
    if not document.text.startswith("{") or with_texts(data) is not data:
        return None
    indent = _INDENT.match(document.text)
    try:
        json.loads(document.text)
        text = json.dumps(_checked(data), indent=len(indent[1]) if indent else 2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return text + "\n"


def _checked(data: Any) -> Any:
    """The data itself; what is encrypted or sensitive has no form in JSON.

    Raises:
        TypeError: there is such a value in it, or a key that is not text.
    """
    if isinstance(data, dict):
        if not all(isinstance(key, str) for key in data):
            raise TypeError("a key is not text")
        for item in data.values():
            _checked(item)
    elif isinstance(data, list | tuple):
        for item in data:
            _checked(item)
    elif type(data) not in {str, int, float, bool, type(None)}:
        raise TypeError(type(data).__name__)
    return data


__all__ = ["DELETE", "emit_yaml", "replace_entries", "rewrite", "same"]


class _Delete:
    """The mark of an entry to be removed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DELETE"


DELETE = _Delete()


def replace_entries(
    text: str | Document, path: Sequence[Any], entries: Mapping[Any, Any], *, prove: bool = True
) -> str:
    """Return the text with entries of a nested map replaced, added, or removed by `DELETE`.

    Args:
        text: the document, or its text. A document spares reading the text once more.
        path: the keys that lead to the map; maps that are missing are made.
        entries: the new value of each entry; entries not named stay.
        prove: as for `rewrite`.
    """
    document = text if isinstance(text, Document) else parse_yaml(text, Path("ensemble.yaml"))
    return rewrite(document, _changed(document.data, path, entries), prove=prove)


def rewrite(document: Document, data: Any, *, prove: bool = True) -> str:
    """Return the document's text changed so that it represents `data`.

    Maps in block style are edited entry by entry, so comments, order and quotes in and around everything unchanged
    stay. Values that are the very objects of `document.data` are not even looked at. Where the text cannot be edited
    safely (flow style, anchors), ruamel.yaml writes the whole document. What is JSON is written as JSON.

    Args:
        document: what was read.
        data: what the text shall say.
        prove: whether the whole new text is read again and compared with `data`; False reads only the new parts.
    """
    try:
        text = _Surgery(document).operate(data)
        if not prove or _says(text, data):
            return text
    except _Unsafe:
        pass
    text = rewritten_json(document, data) or round_trip(document, data)
    if not _says(text, data):
        raise EnsembleError("the file cannot be edited safely", document.place, "write its sections in block style")
    return text


def same(one: Any, other: Any) -> bool:
    """Whether two values are stored alike: 1, 1.0 and true differ, a list and a tuple do not."""
    if one is other:
        return True
    if isinstance(one, dict):
        if not isinstance(other, dict) or len(one) != len(other):
            return False
        return all(key in other and same(value, other[key]) for key, value in one.items())
    if isinstance(one, (list, tuple)):
        if not isinstance(other, (list, tuple)) or len(one) != len(other):
            return False
        return all(same(left, right) for left, right in zip(one, other, strict=True))
    if isinstance(one, str):
        return isinstance(other, str) and one == other and isinstance(one, VaultText) is isinstance(other, VaultText)
    if isinstance(one, float):
        return isinstance(other, float) and (one == other or (math.isnan(one) and math.isnan(other)))
    return isinstance(one, bool) is isinstance(other, bool) and not isinstance(other, float) and bool(one == other)


def _says(text: str, data: Any) -> bool:
    try:
        return same(parse_yaml(text, "").data, data)
    except InvalidInput:
        return False


def _changed(data: Any, path: Sequence[Any], entries: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the data with the entries changed; what is not on the path is the same object."""
    result = dict(data) if isinstance(data, dict) else {}
    if path:
        result[path[0]] = _changed(result.get(path[0]), path[1:], entries)
        return result
    for key, value in entries.items():
        if value is DELETE:
            result.pop(key, None)
        else:
            result[key] = value
    return result


class _Unsafe(Exception):
    """The text cannot be edited in place."""


class _Surgery:
    """Edits of one document: pieces of its text, and their replacements."""

    def __init__(self, document: Document) -> None:
        self.data = document.data
        self.text = document.text.removeprefix("\ufeff")
        self.mark = document.text[: len(document.text) - len(self.text)]
        self.newline = "\r\n" if "\r\n" in self.text else "\n"
        self.edits: list[tuple[int, int, str]] = []

    def operate(self, data: Any) -> str:
        """Return the text that represents the data.

        Raises:
            _Unsafe: it cannot be made in place.
        """
        if same(self.data, data):
            return self.mark + self.text
        old = self.data
        if not (isinstance(old, Map) and isinstance(data, dict) and data and self.is_block(old)):
            raise _Unsafe
        if old.source is None or old.source.text != self.text or self.text.count("\r") != self.text.count("\r\n"):
            raise _Unsafe
        self.edit_map(old, data, len(self.text))
        parts = [self.mark]
        at = 0
        # Inner edits were noted before outer ones, and edits of the same position keep that order.
        for start, end, replacement in sorted(self.edits, key=lambda edit: edit[0]):
            parts.append(self.text[at:start])
            parts.append(replacement if self.newline == "\n" else replacement.replace("\n", self.newline))
            at = end
        parts.append(self.text[at:])
        return "".join(parts)

    def is_block(self, value: Map) -> bool:
        """Whether the map is in block style, with neither anchor nor tag, and nothing is merged into it."""
        source = self.data.source
        if not value or value.source is not source or self.text[value.start] in "{&!?":
            return False
        return all(mark[0] is source and mark[1] >= value.start for mark in value.table().values())

    def edit_map(self, old: Map, new: Mapping[Any, Any], limit: int) -> None:
        """Note the edits that make a block map another, not empty one; its text ends at `limit` at the latest."""
        table = old.table()
        keys = list(table)
        starts = [self.line_start(table[key][1]) for key in keys]
        ends = [*starts[1:], limit]
        column = old.start - starts[0]
        for key, start, end in zip(keys, starts, ends, strict=True):
            if key not in new:
                self.check(table[key][1], start, column)
                stop = self.line_end(self.content_end(old[key], table[key][2], end), end)
                self.refuse_anchors(start, stop)
                self.edits.append((start, stop, ""))
            elif old[key] is not new[key]:
                self.check(table[key][1], start, column)
                self.edit_entry(old, key, new[key], end, column)
        added = {key: value for key, value in new.items() if key not in old}
        if added:
            last = keys[-1]
            self.check(table[last][1], starts[-1], column)
            emitted = emit_yaml(added, column)
            at = self.line_end(self.content_end(old[last], table[last][2], limit), limit)
            self.prove(added, emitted + self.text[at:limit])
            if self.text[at - 1] != "\n":
                # A block scalar at the very end would gain the line end that it lacks.
                if any(sign in self.text[starts[-1] :] for sign in "|>"):
                    raise _Unsafe
                emitted = "\n" + emitted
            self.edits.append((at, at, emitted))

    def edit_entry(self, owner: Map, key: Any, value: Any, limit: int, column: int) -> None:
        """Note the edits that give one entry of a map another value."""
        old = owner[key]
        _other, key_start, start = owner.table()[key]
        if isinstance(old, Map) and old.start == start and isinstance(value, dict) and value and self.is_block(old):
            self.edit_map(old, value, limit)
            return
        if same(old, value):
            return
        end = self.content_end(old, start, limit)
        line = key_start - column
        self.refuse_anchors(line, end)
        key_end = self.key_end(line, limit)
        emitted = emit_yaml({None: value}, column)
        first, newline, others = emitted.strip(" ").removeprefix("null").removesuffix("\n").partition("\n")
        if newline or "\n" in self.text[key_end:end]:
            # A comment beside the key, or beside a value on its line, stays in that line.
            beside = self.text[end : self.line_end(end, limit)]
            if "\n" in self.text[key_end:end]:
                beside = self.text[key_end:start].partition("\n")[0].partition(":")[2]
            first += beside.rstrip()
            end = self.line_end(end, limit)
            if self.text[end - 1] == "\n":
                others += "\n"
        replacement = first + newline + others
        self.edits.append((key_end, end, replacement))
        self.prove({key: value}, self.text[line:key_end] + replacement + self.text[end:limit])

    def check(self, key_start: int, line: int, column: int) -> None:
        """Refuse to edit an entry that does not begin its line at the column of its map."""
        if key_start - line != column or self.text[line:key_start].strip(" "):
            raise _Unsafe

    def prove(self, entries: Mapping[Any, Any], text: str) -> None:
        """Refuse to continue where the new text of entries does not say them."""
        if not _says(text, entries):
            raise _Unsafe

    def refuse_anchors(self, line: int, end: int) -> None:
        """Refuse to replace entries with an anchor: other parts of the document may refer to it."""
        piece = self.text[line:end]
        if "&" in piece and any(
            event.anchor for event in _node_events(piece) if isinstance(event, (ScalarEvent, CollectionStartEvent))
        ):
            raise _Unsafe

    def content_end(self, value: Any, start: int, limit: int) -> int:
        """Return where the text of a value ends; comments and blank lines after it are not its own."""
        while isinstance(value, (Map, Seq)) and value and value.start == start and self.text[start] not in "{[&!?":
            if isinstance(value, Seq):
                value, start = value[-1], value.marks[-1]
                continue
            if not self.is_block(value):
                break
            key = next(reversed(value.table()))
            value, start = value[key], value.table()[key][2]
        piece = self.text[start:limit]
        end = max((event.end_mark.index for event in _node_events(piece)), default=0)
        if piece[:1] in "|>" and "+" in piece[:3]:
            return start + int(end)
        return start + len(piece[:end].rstrip())

    def key_end(self, line: int, limit: int) -> int:
        """Return where the key ends that is the first on a line."""
        event = next(_node_events(self.text[line:limit]), None)
        if not isinstance(event, ScalarEvent) or event.anchor or event.tag is not None:
            raise _Unsafe
        mark: Any = event.end_mark
        return line + int(mark.index)

    def line_start(self, at: int) -> int:
        """Return where the line begins that a position is on."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int, limit: int) -> int:
        """Return where the next line begins, or the limit where there is none."""
        if self.text[at - 1] == "\n":
            return at
        return self.text.find("\n", at, limit) + 1 or limit


def _node_events(text: str) -> Iterator[Any]:
    """Return the events with content of the first node of a text: scalars, aliases and the ends of flow style.

    The end of a block is not one: the parser sees it only at what follows.
    """
    depth = 0
    flow = []
    try:
        for event in parse_events(text):
            if isinstance(event, CollectionStartEvent):
                depth += 1
                flow.append(event.flow_style)
                if event.anchor:
                    yield event
            elif isinstance(event, CollectionEndEvent):
                depth -= 1
                if flow.pop():
                    yield event
            elif isinstance(event, (ScalarEvent, AliasEvent)):
                yield event
            else:
                continue
            if not depth:
                return
    except yaml.YAMLError:
        raise _Unsafe from None
