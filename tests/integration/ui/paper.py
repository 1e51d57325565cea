"""What Chromium printed, as far as it writes PDF: its texts, their colours, and whether they had to be made smaller."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator

from msgspec import Struct

_OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*)\r?\nendstream", re.DOTALL)
_SHEET = re.compile(rb"/Type /Page\n.*/Contents (\d+) 0 R", re.DOTALL)
_FONT = re.compile(rb"/(F\d+) (\d+) 0 R")
_UNICODE = re.compile(rb"/ToUnicode (\d+) 0 R")
_CODES = re.compile(r"^<(\w+)> (?:<(\w+)> )?<(\w+)>$", re.MULTILINE)
_DRAWN = re.compile(r"/(F\d+) \S+ Tf|(\S+ \S+ \S+) rg|<([0-9A-F]+)> Tj")
_SCALE = re.compile(r"^(\S+) 0 0 -?\S+ \S+ \S+ cm", re.MULTILINE)
#: How many points of paper a pixel is.
_POINTS = 72 / 96

Colour = tuple[float, float, float]


class Paper(Struct):
    """Printed pages.

    Attributes:
        text: all that is written on them, without spaces.
        inks: the colours of the texts.
        scale: 1 where all was printed in its size, less where something was wider than the paper.
    """

    text: str
    inks: set[Colour]
    scale: float


def read(pdf: bytes) -> Paper:
    """What is on paper."""
    objects = dict(_OBJECT.findall(pdf))
    alphabets = {
        font.decode(): _alphabet(_content(objects[unicode[1]]))
        for page in objects.values()
        for font, number in _FONT.findall(page)
        if (unicode := _UNICODE.search(objects[number]))
    }
    drawn = [content for body in objects.values() if " Tf\n" in (content := _content(body))]
    text, inks = "", set()
    for font, ink, codes in _written(drawn):
        letters = (int(codes[at : at + 4], 16) for at in range(0, len(codes), 4))
        text += "".join(alphabets[font].get(one, "") for one in letters)
        inks.add(ink)
    sheets = [_content(objects[found[1]]) for body in objects.values() if (found := _SHEET.search(body))]
    outer, inner = (float(scale) for scale in _SCALE.findall(sheets[0])[:2])
    plain = "".join(unicodedata.normalize("NFKC", text).split())  # of ligatures
    return Paper(plain, inks, outer * inner / _POINTS)


def _written(drawn: list[str]) -> Iterator[tuple[str, Colour, str]]:
    """The font, the colour and the codes of each text."""
    for content in drawn:
        font, ink = "", (0.0, 0.0, 0.0)
        for name, colour, codes in _DRAWN.findall(content):
            font, ink = name or font, _colour(colour) if colour else ink
            if codes:
                yield font, ink, codes


def _colour(text: str) -> Colour:
    red, green, blue = map(float, text.split())
    return red, green, blue


def _content(body: bytes) -> str:
    stream = _STREAM.search(body)
    packed = stream is not None and b"/FlateDecode" in body
    return zlib.decompress(stream[1]).decode("latin-1") if stream and packed else ""


def _alphabet(codes: str) -> dict[int, str]:
    """The texts that the codes of a font stand for."""
    found = {}
    for first, last, text in _CODES.findall(codes):
        begin = bytes.fromhex(text).decode("utf-16-be")
        for code in range(int(first, 16), int(last or first, 16) + 1):
            found[code] = begin[:-1] + chr(ord(begin[-1]) + code - int(first, 16))
    return found
