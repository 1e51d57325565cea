"""JSON, base64, base32 and digests."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import secrets
import zlib
from collections.abc import Callable
from typing import Any, NoReturn

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate import floats
from ansible_ensemble.provision.gotemplate.literals import LEAST, MOST, bytes_of, text_of
from ansible_ensemble.provision.gotemplate.values import Struct, Value, in_order, pay

_ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_SPECIAL = re.compile('[\x00-\x1f"\\\\\u2028\u2029\udc80-\udcff]')
_SPECIAL_IN_HTML = re.compile('[\x00-\x1f"\\\\\u2028\u2029\udc80-\udcff<>&]')


def encoded(value: Value, indent: str = "", html: bool = True, _margin: str = "\n") -> str:
    """A value as Go writes it as JSON: keys in order, and `<`, `>`, `&` escaped unless told otherwise."""
    if isinstance(value, Struct):
        value = dict(value.fields)
    if isinstance(value, (dict, list)):
        return _container(value, indent, html, _margin)
    if isinstance(value, str):
        return _text(value, html)
    if isinstance(value, float):
        if floats.special(value):
            raise Fault(f"json: unsupported value: {floats.special(value)}")
        return floats.in_json(value)
    return json.dumps(value)


def _container(value: dict[str, Value] | list[Value], indent: str, html: bool, margin: str) -> str:
    start, end = "{}" if isinstance(value, dict) else "[]"
    if not value:
        return start + end
    inner = margin + indent
    if isinstance(value, dict):
        colon = ": " if indent else ":"
        items = [_text(key, html) + colon + encoded(item, indent, html, inner) for key, item in in_order(value)]
    else:
        items = [encoded(item, indent, html, inner) for item in value]
    if not indent:
        return start + ",".join(items) + end
    return start + inner + ("," + inner).join(items) + margin + end


def _text(value: str, html: bool) -> str:
    return '"' + (_SPECIAL_IN_HTML if html else _SPECIAL).sub(_escaped, value) + '"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if "\udc80" <= character <= "\udcff":
        return "\\ufffd"
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def decoded(text: str) -> Value:
    """The value of a JSON text; raise Fault for what is none."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_whole)
    except ValueError as error:
        raise Fault(f"invalid JSON: {error}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _whole(digits: str) -> int | float:
    number = int(digits)
    return number if LEAST <= number <= MOST else float(number)


def _to_json(budget: Budget, value: Any) -> str:
    pay(budget, value)
    return encoded(value)


def _to_pretty_json(budget: Budget, value: Any) -> str:
    pay(budget, value)
    return encoded(value, "  ")


def _to_raw_json(budget: Budget, value: Any) -> str:
    pay(budget, value)
    return encoded(value, html=False)


def _from_json(budget: Budget, text: str) -> Value:
    try:
        return _must_from_json(budget, text)
    except Fault:
        return None


def _must_from_json(budget: Budget, text: str) -> Value:
    budget.items(len(text) // 16)
    return decoded(text)


def _b64enc(value: str) -> str:
    return base64.b64encode(bytes_of(value)).decode()


def _b64dec(value: str) -> str:
    """What was encoded; what is wrong with it stands in its place, as sprig has it."""
    bare = value.replace("\n", "").replace("\r", "")
    try:
        return text_of(base64.b64decode(bytes_of(bare), validate=True))
    except binascii.Error:
        return f"illegal base64 data at input byte {_first_bad(bare)}"


def _first_bad(value: str) -> int:
    match = re.match(r"(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]*", value)
    return match.end() if match else 0


def _b32enc(value: str) -> str:
    return base64.b32encode(bytes_of(value)).decode()


def _b32dec(value: str) -> str:
    try:
        return text_of(base64.b32decode(bytes_of(value.replace("\n", "").replace("\r", ""))))
    except binascii.Error as error:
        return f"illegal base32 data: {error}"


def _rand_bytes(budget: Budget, count: int) -> str:
    if count < 0:
        raise Fault("makeslice: len out of range")
    budget.hold(count * 2)
    return base64.b64encode(secrets.token_bytes(count)).decode()


def _adler32sum(value: str) -> str:
    return str(zlib.adler32(bytes_of(value)))


def _sha1sum(value: str) -> str:
    return hashlib.sha1(bytes_of(value), usedforsecurity=False).hexdigest()


def _sha256sum(value: str) -> str:
    return hashlib.sha256(bytes_of(value)).hexdigest()


def _sha512sum(value: str) -> str:
    return hashlib.sha512(bytes_of(value)).hexdigest()


TABLE: dict[str, Callable[..., Value]] = {
    "adler32sum": _adler32sum,
    "b32dec": _b32dec,
    "b32enc": _b32enc,
    "b64dec": _b64dec,
    "b64enc": _b64enc,
    "fromJson": _from_json,
    "mustFromJson": _must_from_json,
    "randBytes": _rand_bytes,
    "sha1sum": _sha1sum,
    "sha256sum": _sha256sum,
    "sha512sum": _sha512sum,
    "toJson": _to_json,
    "toPrettyJson": _to_pretty_json,
    "toRawJson": _to_raw_json,
}
