"""Texts: URLs, ports, generated strings."""

from __future__ import annotations

import hashlib
import hmac
import string
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import bare
from ansible_ensemble.views.evaluation_environment import key_bytes


@implements("urljoin")
def _urljoin(  # noqa: PLR0917
    call: Call, scheme: Any, host: Any, port: Any = None, path: Any = None, query: Any = None, fragment: Any = None
) -> Any:
    parts = [bare(call.value(part)) for part in (scheme, host, port, path, query, fragment)]
    scheme, host, port, path, query, fragment = ("" if part is None else as_text(part) for part in parts)
    if not any((scheme, host, path, query, fragment)):
        return None
    if port and {"http": "80", "https": "443"}.get(scheme) != port:
        host = f"{host}:{port}"
    if call.context.is_unfurl:
        query = quote(query)
    try:
        split = urlsplit(path)
    except ValueError as error:
        raise call.failure(f'"{path}" is not a path of a URL: {error}') from None
    quoted = quote(split.path, safe="/%:@")
    rest = urlunsplit(("", "", quoted, query or split.query, fragment or split.fragment))
    separated = "/" if host and quoted and not quoted.startswith("/") else ""
    return f"{f'{scheme}:' if scheme else ''}{f'//{host}' if host else ''}{separated}{rest}"


@implements("portspec")
def _portspec(call: Call, given: Any) -> Any:
    value = bare(call.value(given))
    if isinstance(value, Mapping):
        source, target, protocol = value.get("source"), value.get("target"), value.get("protocol")
    else:
        ports, _separator, protocol = as_text(value).partition("/")
        first, _separator, second = ports.rpartition(":")
        source, target = first.rpartition(":")[2] or None, second
    numbers = [None if port is None else as_text(port) for port in (source, target)]
    if not all(number is None or (number.isdecimal() and int(number) < 65536) for number in numbers):
        raise call.failure(f'"{value}" is not a port', hint="for instance 80, 8080:80 or 53/udp")
    made = {
        "source": _port(numbers[0] or numbers[1]),
        "target": _port(numbers[1]),
        "protocol": protocol or "tcp",
    }
    if call.context.is_unfurl:
        return {**made, "source_range": None, "target_range": None}
    spec = ":".join(number for number in numbers if number is not None)
    return {**made, "spec": f"{spec}/{made['protocol']}"}


def _port(number: str | None) -> int | None:
    return int(number) if number is not None else None


@implements("generate_string", taints=False)
def _generate_string(call: Call, given: Any, **settings: Any) -> Any:
    inner = bare(call.value(given)) or {}
    if not isinstance(inner, dict):
        raise call.failure(f"{call.name} takes a map with preset, len or ranges")
    settings = {**{key: bare(call.value(written)) for key, written in settings.items()}, **inner}
    preset = settings.get("preset", "label")
    length = settings.get("len", 32 if preset == "password" else 7)
    if not isinstance(length, int) or not 0 < length <= 4096:
        raise call.failure(f'"{length}" is not a length', hint="it is a number from 1 to 4096")
    characters = _characters(call, settings.get("ranges"), preset)
    first = string.ascii_letters if preset == "password" and "ranges" not in settings else characters
    key = key_bytes(call.context.environment.digest_key)
    stream = _stream(key, f"{call.context.subject}|{preset}|{length}|{characters}")
    text = _draw(stream, first) + "".join(_draw(stream, characters) for _turn in range(length - 1))
    return call.context.tracker.hide(mark_sensitive(text)) if preset == "password" else text


def _characters(call: Call, ranges: Any, preset: Any) -> str:
    if ranges is None:
        if preset == "number":
            return string.digits
        return string.ascii_letters + string.digits + ("%&()*+,-./:<>?=@^_`{}~" if preset == "password" else "")
    try:
        found = "".join(chr(code) for first, last in ranges for code in range(ord(first), ord(last) + 1))
    except (TypeError, ValueError):
        found = ""
    if not found:
        raise call.failure("ranges is not a list of pairs of characters", 'for instance [["a", "z"], ["0", "9"]]')
    return found


def _stream(key: bytes, seed: str) -> Iterator[int]:
    counter = 0
    while True:
        yield from hmac.new(key, f"generate|{seed}|{counter}".encode(), hashlib.sha256).digest()
        counter += 1


def _draw(stream: Iterator[int], characters: str) -> str:
    """One of the characters, each as likely as any other."""
    span = len(characters)
    width = 2 if span > 256 else 1
    limit = 256**width - 256**width % span
    while True:
        value = int.from_bytes(bytes(next(stream) for _turn in range(width)))
        if value < limit:
            return characters[value % span]
