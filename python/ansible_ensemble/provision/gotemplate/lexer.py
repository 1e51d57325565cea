"""Tokens of a template's text, as Go's text/template reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

SPACES = " \t\r\n"
OPEN, CLOSE = "{{", "}}"
KEYWORDS = frozenset(
    ["block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"],
)


class Kind(Enum):
    """What a token is."""

    TEXT = "text"
    OPEN = "{{"
    CLOSE = "}}"
    SPACE = "space"
    DECLARE = ":="
    ASSIGN = "="
    PIPE = "|"
    COMMA = ","
    LEFT = "("
    RIGHT = ")"
    STRING = "string"
    RAW = "raw string"
    CHARACTER = "character"
    NUMBER = "number"
    VARIABLE = "variable"
    FIELD = "field"
    DOT = "."
    WORD = "word"
    KEYWORD = "keyword"
    BOOL = "bool"
    ERROR = "error"
    END = "EOF"


class Token(NamedTuple):
    """A token; the text of an ERROR is its message."""

    kind: Kind
    text: str
    start: int


_TOKENS = re.compile(
    r"""(?P<SPACE>[ \t\r\n]+)
    |(?P<DECLARE>:=)|(?P<ASSIGN>=)|(?P<PIPE>\|)|(?P<COMMA>,)|(?P<LEFT>\()|(?P<RIGHT>\))
    |(?P<STRING>"(?:\\[^\n]|[^"\\\n])*")
    |(?P<RAW>`[^`]*`)
    |(?P<CHARACTER>'(?:\\[^\n]|[^'\\\n])*')
    |(?P<VARIABLE>\$\w*)
    |(?P<NUMBER>(?:[+-]|\.?[0-9])(?:(?<=[eEpP])[+-]|[\w.])*)
    |(?P<FIELD>\.\w+)
    |(?P<DOT>\.)
    |(?P<WORD>\w+)""",
    re.VERBOSE,
)
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*|0[bB][01_]*"
    r"|[0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9_]*)?)i?",
)
_NAMED = frozenset([Kind.VARIABLE, Kind.FIELD, Kind.DOT, Kind.WORD])
_UNCLOSED = {
    '"': "unterminated quoted string",
    "`": "unterminated raw quoted string",
    "'": "unterminated character constant",
}


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a template, up to an ERROR or END."""
    position = 0
    while (opening := text.find(OPEN, position)) >= 0:
        trims = _trims_before(text, opening + len(OPEN))
        before = text[position:opening]
        if trims:
            before = before.rstrip(SPACES)
        if before:
            yield Token(Kind.TEXT, before, position)
        inside = opening + len(OPEN) + (2 if trims else 0)
        if text.startswith("/*", inside):
            closing = _after_comment(text, inside)
            if isinstance(closing, Token):
                yield closing
                return
            position = closing
            continue
        yield Token(Kind.OPEN, OPEN, opening)
        for token in _inside(text, inside):
            yield token
            if token.kind is Kind.ERROR:
                return
        position = _after_close(text, token.start)
    if position < len(text):
        yield Token(Kind.TEXT, text[position:], position)
    yield Token(Kind.END, "EOF", len(text))


def _trims_before(text: str, position: int) -> bool:
    return text.startswith("-", position) and text[position + 1 : position + 2] in tuple(SPACES)


def _trims_after(text: str, position: int) -> bool:
    return text[position : position + 1] in tuple(SPACES) and text.startswith("-" + CLOSE, position + 1)


def _after_comment(text: str, start: int) -> int | Token:
    end = text.find("*/", start + 2)
    if end < 0:
        return Token(Kind.ERROR, "unclosed comment", start)
    end += 2
    if not text.startswith(CLOSE, end) and not _trims_after(text, end):
        return Token(Kind.ERROR, "comment ends before closing delimiter", start)
    return _after_close(text, end)


def _after_close(text: str, position: int) -> int:
    """Where the text after a closing delimiter starts: behind the spaces that it trims, if it does."""
    if text.startswith(CLOSE, position):
        return position + len(CLOSE)
    position += 2 + len(CLOSE)
    while text[position : position + 1] in tuple(SPACES):
        position += 1
    return position


def _inside(text: str, position: int) -> Iterator[Token]:
    """The tokens of one action; the last one is CLOSE or ERROR."""
    depth = 0
    while True:
        if text.startswith(CLOSE, position) or _trims_after(text, position):
            yield Token(Kind.ERROR, "unclosed left paren", position) if depth else Token(Kind.CLOSE, CLOSE, position)
            return
        token = _token(text, position)
        depth += (token.kind is Kind.LEFT) - (token.kind is Kind.RIGHT)
        if depth < 0:
            token = Token(Kind.ERROR, "unexpected right paren", position)
        yield token
        if token.kind is Kind.ERROR:
            return
        position += len(token.text)


def _token(text: str, position: int) -> Token:
    match = _TOKENS.match(text, position)
    if match is None:
        return Token(Kind.ERROR, _unreadable(text, position), position)
    kind, found = Kind[match.lastgroup or ""], match.group()
    if kind is Kind.SPACE and len(found) > 1 and _trims_after(text, match.end() - 1):
        found = found[:-1]
    elif kind is Kind.NUMBER and not _NUMBER.fullmatch(found):
        return Token(Kind.ERROR, f'bad number syntax: "{found}"', position)
    elif kind in _NAMED and not _ends(text, match.end()):
        return Token(Kind.ERROR, f"bad character {_shown(text[match.end()])}", position)
    if kind is Kind.WORD:
        kind = _kind_of_word(found)
    return Token(kind, found, position)


def _kind_of_word(word: str) -> Kind:
    if word in KEYWORDS:
        return Kind.KEYWORD
    return Kind.BOOL if word in ("true", "false") else Kind.WORD


def _ends(text: str, position: int) -> bool:
    """Whether a name may end here."""
    return text[position : position + 1] in ("", *SPACES, *".,|:()") or text.startswith(CLOSE, position)


def _unreadable(text: str, position: int) -> str:
    if position >= len(text):
        return "unclosed action"
    character = text[position]
    if character == ":":
        return "expected :="
    return _UNCLOSED.get(character) or f"unrecognized character in action: {_shown(character)}"


def _shown(character: str) -> str:
    return f"U+{ord(character):04X} '{character}'"
