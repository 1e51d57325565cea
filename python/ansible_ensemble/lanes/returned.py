"""What a module returns, kept within bounds: the JSON that it prints, and the result that is made of it.

A result below the limit is left as it is, whatever it holds. Of a larger one each long text and list loses its middle,
and says so there, as the output of a command does.
"""

from __future__ import annotations

import re
from typing import Any

from ansible_ensemble.core import texts
from ansible_ensemble.core.regex import regex
from ansible_ensemble.execution.output import OUTPUT_LIMIT, BoundedOutput

#: Bytes of a result that are taken as they are.
LIMIT = 16_000_000
#: Items kept of a list of a larger result.
_ITEMS = 10_000

_TOO_LARGE = (
    b'{"failed": true, "msg": "the module returned more than %d MB, and no long texts that could be cut: its result'
    b' is left out"}'
)
#: What a JSON string holds up to its closing quote; a line's end is in none.
_BODY = regex(rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+', re.DOTALL)
#: The whole characters and escapes that a string begins with. Not possessive: Python 3.11.2 then keeps half of an
#: escape that does not match.
_WHOLE = regex(rb"[^\\]*(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^\\]*)*", re.DOTALL)
#: Where in the middle of a string a character begins for certain: after so many that no escape reaches across, and at
#: a backslash before which there is none.
_BEGINNING = regex(rb"[^\\]{6}|(?<=[^\\])(?=\\)", re.DOTALL)
#: Half of a character at the end; an escaped backslash before `ud8..` is not an escape of a character.
_HIGH_HALF = regex(rb"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_LOW_HALF = regex(rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}")


class ReturnedJson:
    """The output of a module as it comes, most often one JSON document.

    Args:
        limit: bytes kept in all.
        text_limit: bytes kept of each text of an output that is larger.
    """

    def __init__(self, limit: int = LIMIT, text_limit: int = OUTPUT_LIMIT) -> None:
        self._limit = limit
        self._text_limit = text_limit
        self._kept = bytearray()
        self._rest = b""
        self._text: BoundedOutput | None = None
        self._cutting = False
        self._too_large = False

    def add(self, chunk: bytes) -> None:
        """Take in what was read."""
        if self._too_large:
            return
        if not self._cutting:
            self._kept += chunk
            if len(self._kept) <= self._limit:
                return
            chunk, self._kept, self._cutting = bytes(self._kept), bytearray(), True
        self._cut(chunk)
        if len(self._kept) > self._limit:
            self._too_large = True
            self._kept.clear()

    def content(self) -> bytes:
        """The output, to be asked for once, when it has ended."""
        if self._too_large:
            return _TOO_LARGE % (self._limit // 1_000_000)
        self._end_text()
        return bytes(self._kept + self._rest)

    def _cut(self, chunk: bytes) -> None:
        data, position = self._rest + chunk, 0
        self._rest = b""
        while position < len(data):
            if self._text is None:
                quote = data.find(b'"', position)
                end = len(data) if quote < 0 else quote + 1
                self._kept += data[position:end]
                position = end
                self._text = BoundedOutput(self._text_limit) if quote >= 0 else None
                continue
            match = _BODY.match(data, position)
            assert match is not None
            self._text.add(match[0])
            position = match.end()
            if data[position : position + 1] == b"\\":  # the other half of the escape is still to come
                self._rest = data[position:]
                return
            if position < len(data):
                self._end_text()
                if data[position : position + 1] == b'"':
                    self._kept += b'"'
                    position += 1

    def _end_text(self) -> None:
        if self._text is not None:
            head, tail = self._text.ends()
            if self._text.cut:
                head, tail = _whole_head(head), _whole_tail(tail)
                cut = self._text.total - len(head) - len(tail)
                head += b"\\n[... %d bytes cut ...]\\n" % cut
            self._kept += head + tail
            self._text = None


def _whole_head(head: bytes) -> bytes:
    """The beginning of a JSON string without the escape or character that is cut in two at its end."""
    match = _WHOLE.match(head)
    assert match is not None
    head = _HIGH_HALF.sub(rb"\1", match[0])
    return head.decode("utf-8", "ignore").encode() if head[-1:] >= b"\x80" else head


def _whole_tail(tail: bytes) -> bytes:
    """The end of a JSON string without the escape or character that is cut in two at its beginning."""
    match = _BEGINNING.search(tail)
    tail = tail[match.end() :] if match is not None else b""
    low = _LOW_HALF.match(tail)
    tail = tail[low.end() :] if low is not None else tail
    return tail.lstrip(bytes(range(0x80, 0xC0)))


def weight(value: Any) -> int:
    """Roughly how many bytes some plain data holds."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(str(key)) + weight(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return sum(map(weight, value), len(value))
    return 8


def cut(value: Any, text_limit: int = OUTPUT_LIMIT, items: int = _ITEMS) -> Any:
    """The data with the middle of each long text and list left out."""
    if isinstance(value, str):
        return texts.cut(value, text_limit)
    if isinstance(value, dict):
        return {key: cut(item, text_limit, items) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        kept = list(value)
        if len(kept) > items:
            half = items // 2
            kept = [*kept[:half], f"[... {len(kept) - 2 * half} items cut ...]", *kept[-half:]]
        return [cut(item, text_limit, items) for item in kept]
    return value
