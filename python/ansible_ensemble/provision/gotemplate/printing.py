"""Values as text: `%v`, print, println and printf of Go's fmt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ansible_ensemble.provision.gotemplate import floats
from ansible_ensemble.provision.gotemplate.literals import bytes_of
from ansible_ensemble.provision.gotemplate.quoting import can_be_raw, quoted
from ansible_ensemble.provision.gotemplate.values import Struct, Value, in_order, type_of

if TYPE_CHECKING:
    from ansible_ensemble.core.budget import Budget

NIL = "<nil>"
MOST_WIDE = 1_000_000  # fmt's own bound of width and precision
_NUMBER = re.compile(r"[0-9]{1,8}")
_INDEX = re.compile(r"\[([^\]]*)\]")
_USUAL = ((bool, "t"), (int, "d"), (float, "g"), (str, "s"))
_BASES = {"v": "d", "d": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES = {"b": "0b", "o": "0", "x": "0x", "X": "0X", "O": ""}


class Directive(msgspec.Struct, frozen=True):
    """A verb of printf with its flags, width and precision."""

    verb: str = "v"
    flags: frozenset[str] = frozenset()
    width: int | None = None
    precision: int | None = None

    @property
    def in_syntax(self) -> bool:
        """`%#v`: as Go's source would have it."""
        return self.verb == "v" and "#" in self.flags

    def pad(self, text: str) -> str:
        """The text filled up to the width."""
        if not self.width:
            return text
        if "-" in self.flags:
            return text.ljust(self.width)
        return text.rjust(self.width, "0" if "0" in self.flags else " ")


PLAIN = Directive()


def shown(value: Value, directive: Directive = PLAIN) -> str:
    """A value as a directive prints it."""
    if directive.verb == "T":
        return directive.pad(type_of(value)[: directive.precision])
    if value is None:
        return directive.pad(NIL) if directive.verb == "v" else f"%!{directive.verb}({NIL})"
    return _within(value, directive)


def _within(value: Value, directive: Directive) -> str:
    if isinstance(value, str):
        return _text(value, directive)
    if isinstance(value, bool):
        return directive.pad(str(value).lower()) if directive.verb in "tv" else _bad(value, directive)
    if isinstance(value, int):
        return _integer(value, directive)
    if isinstance(value, float):
        return _float(value, directive)
    if value is None:
        return _nil_within(directive)
    return _list(value, directive) if isinstance(value, list) else _map(value, directive)


def _nil_within(directive: Directive) -> str:
    return "interface {}(nil)" if directive.in_syntax else NIL


def _list(value: list[Value], directive: Directive) -> str:
    items = [_within(item, directive) for item in value]
    return f"{type_of(value)}{{{', '.join(items)}}}" if directive.in_syntax else f"[{' '.join(items)}]"


def _map(value: dict[str, Value] | Struct, directive: Directive) -> str:
    if isinstance(value, Struct):
        return _struct(value, directive)
    items = [f"{_text(key, directive)}:{_within(item, directive)}" for key, item in in_order(value)]
    return f"{type_of(value)}{{{', '.join(items)}}}" if directive.in_syntax else f"map[{' '.join(items)}]"


def _struct(value: Struct, directive: Directive) -> str:
    if value.text is not None:
        return _text(value.text, directive)
    named = bool(directive.flags & {"+", "#"}) and directive.verb == "v"
    items = [
        f"{key}:{_within(item, directive)}" if named else _within(item, directive) for key, item in value.fields.items()
    ]
    start, joint = (f"&{value.type_name}", ", ") if directive.in_syntax else ("&", " ")
    return f"{start}{{{joint.join(items)}}}"


def _bad(value: Value, directive: Directive) -> str:
    verb = next(verb for kind, verb in _USUAL if isinstance(value, kind))
    return f"%!{directive.verb}({type_of(value)}={_within(value, replace(directive, verb=verb))})"


def _text(value: str, directive: Directive) -> str:
    verb = directive.verb
    if verb in "xX":
        return _hexadecimal(value, directive)
    if verb == "q" or directive.in_syntax:
        value = value[: directive.precision]
        if "#" in directive.flags and verb == "q" and can_be_raw(value):
            return directive.pad(f"`{value}`")
        return directive.pad(quoted(value, ascii_only="+" in directive.flags and verb == "q"))
    return directive.pad(value[: directive.precision]) if verb in "sv" else _bad(value, directive)


def _hexadecimal(value: str, directive: Directive) -> str:
    prefix = "0x" if "#" in directive.flags else ""
    data = [f"{byte:02x}" for byte in bytes_of(value)[: directive.precision]]
    if not data:
        return " " * (directive.width or 0)
    text = " ".join(prefix + item for item in data) if " " in directive.flags else prefix + "".join(data)
    return directive.pad(text.upper() if directive.verb == "X" else text)


def _integer(value: int, directive: Directive) -> str:
    verb = directive.verb
    if verb in _BASES:
        return _based(value, directive)
    if verb in "cqU":
        return _character(value, directive)
    # A whole number of data is a float in Go, and content prints it as one.
    return _float(float(value), directive) if verb in "fFeEgG" else _bad(value, directive)


def _character(value: int, directive: Directive) -> str:
    if directive.verb == "U":
        text = f"U+{value:04X}"
        return directive.pad(f"{text} '{chr(value)}'" if "#" in directive.flags and 32 < value < 0x110000 else text)
    text = chr(value) if 0 <= value < 0xD800 or 0xE000 <= value < 0x110000 else "\ufffd"
    return directive.pad(quoted(text, "'", "+" in directive.flags) if directive.verb == "q" else text)


def _sign(negative: bool, flags: frozenset[str]) -> str:
    if negative:
        return "-"
    return "+" if "+" in flags else " " if " " in flags else ""


def _based(value: int, directive: Directive) -> str:
    """An integer in a base; zeros that fill the width stand after the sign, as those of a precision do."""
    flags, verb = directive.flags, directive.verb
    if verb == "v":
        flags -= {"+", "#"}  # these mean other things with this verb
    spaced = replace(directive, flags=flags - {"0"})
    if directive.precision == 0 and value == 0:
        return spaced.pad("")
    sign, digits = _sign(value < 0, flags), format(abs(value), _BASES[verb])
    least = directive.precision
    if least is None and "0" in flags and "-" not in flags and directive.width:
        least = directive.width - len(sign)
    digits = digits.rjust(least or 0, "0")
    if "#" in flags and verb in _PREFIXES and not (verb in "oO" and digits.startswith("0")):
        digits = ("0" if verb == "O" else _PREFIXES[verb]) + digits
    return spaced.pad(sign + ("0o" if verb == "O" else "") + digits)


def _float(value: float, directive: Directive) -> str:
    verb, flags = directive.verb, directive.flags
    if verb not in floats.VERBS:
        return _bad(value, directive)
    if verb == "v":
        flags -= {"+", "#"}
    spaced = replace(directive, flags=flags - {"0"})
    text = floats.special(value)
    if text is not None:
        sign = "-" if text == "-Inf" else "+" if "+" in flags or (text == "+Inf" and " " not in flags) else ""
        return spaced.pad((" " if not sign and " " in flags else sign) + text.lstrip("+-"))
    write, precision = floats.VERBS[verb]
    precision = precision if directive.precision is None else directive.precision
    text = write(value, precision)
    if "#" in flags and verb != "b":
        text = floats.pointed(text, verb, precision)
    if verb in "EGX":
        text = text.upper()
    sign, digits = _sign(text.startswith("-"), flags), text.removeprefix("-")
    if "0" in flags and "-" not in flags and directive.width:
        digits = digits.rjust(directive.width - len(sign), "0")
    return spaced.pad(sign + digits)


def joined(values: Sequence[Value]) -> str:
    """`print`: a space between two values of which neither is a text."""
    parts: list[str] = []
    text_before = True
    for value in values:
        is_text = isinstance(value, str)
        if parts and not is_text and not text_before:
            parts.append(" ")
        parts.append(shown(value))
        text_before = is_text
    return "".join(parts)


def line(values: Sequence[Value]) -> str:
    """`println`."""
    return " ".join(map(shown, values)) + "\n"


def formatted(budget: Budget, format_: str, values: Sequence[Value]) -> str:
    """`printf`."""
    return _Printf(budget, format_, values).text()


class _Printf:
    """One call of printf: where it is in its format, and which argument is next."""

    def __init__(self, budget: Budget, format_: str, values: Sequence[Value]) -> None:
        self._budget = budget
        self._format = format_
        self._values = values
        self._at = 0
        self._argument = 0
        self._reordered = False
        self._good = True

    def text(self) -> str:
        parts: list[str] = []
        while (percent := self._format.find("%", self._at)) >= 0:
            parts.append(self._format[self._at : percent])
            self._at = percent + 1
            parts.append(self._directive())
        parts.append(self._format[self._at :])
        parts.append(self._extra())
        return "".join(parts)

    def _directive(self) -> str:
        self._good = True
        start = self._at
        while self._at < len(self._format) and self._format[self._at] in "#0+- ":
            self._at += 1
        flags = set(self._format[start : self._at])
        indexed = self._index()
        complaints, width, indexed = self._width(flags, indexed)
        precision = None
        if self._format[self._at : self._at + 1] == "." and self._at + 1 < len(self._format):
            self._at += 1
            complaint, precision, indexed = self._precision(indexed)
            complaints += complaint
        if not indexed:
            self._index()
        return complaints + self._verb(frozenset(flags), width, precision)

    def _verb(self, flags: frozenset[str], width: int | None, precision: int | None) -> str:
        if self._at >= len(self._format):
            return "%!(NOVERB)"
        verb = self._format[self._at]
        self._at += 1
        if verb == "%":
            return "%"
        if not self._good:
            return f"%!{verb}(BADINDEX)"
        if self._argument >= len(self._values):
            return f"%!{verb}(MISSING)"
        value = self._values[self._argument]
        self._argument += 1
        self._budget.hold((width or 0) + (precision or 0))
        return shown(value, Directive(verb, flags, width, precision))

    def _index(self) -> bool:
        """Whether there was an index of an argument, as in `%[1]d`; it is the next argument then."""
        if self._format[self._at : self._at + 1] != "[":
            return False
        self._reordered = True
        match = _INDEX.match(self._format, self._at)
        if match is None:
            self._good = False
            self._at += 1
            return False
        self._at = match.end()
        number = match[1] if match[1].isdecimal() and match[1].isascii() else "0"
        if 1 <= int(number[:8]) <= len(self._values):
            self._argument = int(number[:8]) - 1
            return True
        self._good = False
        return True

    def _width(self, flags: set[str], indexed: bool) -> tuple[str, int | None, bool]:
        if self._format[self._at : self._at + 1] != "*":
            width = self._number()
            self._good &= not (indexed and width is not None)
            return "", width, indexed
        self._at += 1
        width = self._from_argument()
        if width is None:
            return "%!(BADWIDTH)", None, False
        if width < 0:
            flags.add("-")
            flags.discard("0")
        return "", abs(width), False

    def _precision(self, indexed: bool) -> tuple[str, int | None, bool]:
        self._good &= not indexed
        indexed = self._index()
        if self._format[self._at : self._at + 1] != "*":
            return "", self._number() or 0, indexed
        self._at += 1
        precision = self._from_argument()
        if precision is None:
            return "%!(BADPREC)", None, False
        return ("", precision, False) if precision >= 0 else ("%!(BADPREC)", None, False)

    def _number(self) -> int | None:
        match = _NUMBER.match(self._format, self._at)
        if match is None:
            return None
        self._at = match.end()
        return int(match[0]) if int(match[0]) <= MOST_WIDE else None

    def _from_argument(self) -> int | None:
        if self._argument >= len(self._values):
            return None
        value = self._values[self._argument]
        self._argument += 1
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return value if is_number and abs(value) <= MOST_WIDE else None

    def _extra(self) -> str:
        rest = self._values[self._argument :]
        if self._reordered or not rest:
            return ""
        shown_rest = [NIL if value is None else f"{type_of(value)}={shown(value)}" for value in rest]
        return f"%!(EXTRA {', '.join(shown_rest)})"
