"""Names and texts: labels, URLs, ports, generated strings."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import bare
from ansible_ensemble.views.evaluation_environment import key_bytes


@dataclass(frozen=True, slots=True)
class LabelRules:
    """What a label may look like.

    Attributes:
        allowed: the characters it may have, as inside the brackets of a regular expression.
        start, end: the characters it may begin and end with.
        max: how long it may be.
        case: `lower`, `upper` or `any`.
        replace: what replaces each run of other characters.
        start_prepend: what is set before a label that does not begin as it must.
        sep: what joins the items of a list.
        digest: whether a digest of the whole text is added; otherwise only to a label that is cut.
        digestlen: how many characters of a digest a label that is cut ends in; below 0: 3, and 2 if max is below 32.
    """

    allowed: str = r"\w"
    start: str = "a-zA-Z"
    end: str = r"\w"
    max: int = 63
    case: str = "any"
    replace: str = ""
    start_prepend: str = "x"
    sep: str = ""
    digest: bool = False
    digestlen: int = -1


#: From this length on a label that is cut has a longer digest.
_LONG = 32
_DNS = LabelRules(allowed="a-zA-Z0-9-", end="a-zA-Z0-9", replace="--", case="lower", sep="--")
_KUBERNETES = LabelRules(allowed=r"\w.-", start="a-zA-Z0-9", end="a-zA-Z0-9", replace="__", sep="__")
_GOOGLE = LabelRules(allowed="a-z0-9_-", end="a-z0-9_-", case="lower", replace="__", sep="__")


@implements("to_label")
def _to_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, LabelRules())


@implements("to_dns_label")
def _to_dns_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, _DNS)


@implements("to_kubernetes_label")
def _to_kubernetes_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, _KUBERNETES)


@implements("to_googlecloud_label")
def _to_googlecloud_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, _GOOGLE)


def _labels(call: Call, given: Any, options: Mapping[str, Any], rules: LabelRules) -> Any:
    value = bare(call.value(given))
    for name, written in options.items():
        option = bare(call.value(written))
        if option is not None:
            if type(option) is not type(getattr(rules, name)):
                raise call.failure(f'the option {name} of {call.name} cannot be "{option}"')
            rules = replace(rules, **{name: option})
    try:
        if isinstance(value, Mapping):
            return {make_label(as_text(key), rules): make_label(as_text(item), rules) for key, item in value.items()}
        if isinstance(value, list):
            return _joined([as_text(item) for item in value], rules)
        return make_label(as_text(value), rules)
    except re.error as error:
        raise call.failure(f"an option of {call.name} is wrong: {error}") from None


def _joined(items: list[str], rules: LabelRules) -> str:
    """A label of several texts with the separator between them; where it is too long, the longest ones are cut."""
    if rules.digest:
        return make_label(rules.sep.join(items), rules)
    room = max(rules.max - len(rules.sep) * (len(items) - 1), 0)
    inner = replace(rules, start_prepend="")
    parts = [_allowed(item, inner if number else rules) for number, item in enumerate(items)]
    sizes = [len(part) for part in parts]
    while sum(sizes) > room:
        sizes[sizes.index(max(sizes))] -= 1
    cut = [_cut(part, item, size, rules) for part, item, size in zip(parts, items, sizes, strict=True)]
    return _ended(rules.sep.join(cut), rules)


def make_label(text: str, rules: LabelRules) -> str:
    """The text as a label by the rules; a cut one ends in a digest, so that it stays unique."""
    label = _allowed(text, rules)
    if not rules.digest:
        return _ended(_cut(label, text, rules.max, rules), rules)
    digest = _digest(text, rules.digestlen if rules.digestlen > 0 else 6, rules)
    return _ended(label[: max(rules.max - len(digest), 0)] + digest, rules)


def _allowed(text: str, rules: LabelRules) -> str:
    """The text with what a label may have, of any length."""
    label = _cased(text, rules)
    label = re.sub(f"[^{rules.allowed}]+", lambda _match: rules.replace, label)
    return rules.start_prepend + label if label and not re.match(f"[{rules.start}]", label) else label


def _cut(label: str, text: str, room: int, rules: LabelRules) -> str:
    """The label of a text, where it is too long with the digest of the text for its end."""
    if len(label) <= room:
        return label
    length = rules.digestlen if rules.digestlen >= 0 else 2 if rules.max < _LONG else 3
    digest = _digest(text, min(length, room), rules)
    return label[: max(room - len(digest), 0)] + digest


def _digest(text: str, length: int, rules: LabelRules) -> str:
    return _cased(base64.b32encode(hashlib.sha256(text.encode()).digest()).decode().lower()[:length], rules)


def _cased(text: str, rules: LabelRules) -> str:
    return {"lower": text.lower(), "upper": text.upper()}.get(rules.case, text)


def _ended(label: str, rules: LabelRules) -> str:
    while label and not re.match(f"[{rules.end}]", label[-1]):
        label = label[:-1]
    return label


@implements("urljoin")
def _urljoin(  # noqa: PLR0917
    call: Call, scheme: Any, host: Any, port: Any = None, path: Any = None, query: Any = None, fragment: Any = None
) -> Any:
    parts = [bare(call.value(part)) for part in (scheme, host, port, path, query, fragment)]
    scheme, host, port, path, query, fragment = ("" if part is None else as_text(part) for part in parts)
    if not scheme or not host:
        return None
    if port and {"http": "80", "https": "443"}.get(scheme) != port:
        host = f"{host}:{port}"
    try:
        split = urlsplit(path)
    except ValueError as error:
        raise call.failure(f'"{path}" is not a path of a URL: {error}') from None
    return urlunsplit((scheme, host, quote(split.path, safe="/%:@"), query or split.query, fragment or split.fragment))


@implements("portspec")
def _portspec(call: Call, given: Any) -> Any:
    value = bare(call.value(given))
    if isinstance(value, Mapping):
        source, target, protocol = value.get("source"), value.get("target"), value.get("protocol")
    else:
        ports, _, protocol = as_text(value).partition("/")
        first, _, second = ports.rpartition(":")
        source, target = first.rpartition(":")[2] or None, second
    numbers = [None if port is None else as_text(port) for port in (source, target)]
    if not all(number is None or (number.isdecimal() and int(number) < 65536) for number in numbers):
        raise call.failure(f'"{value}" is not a port', hint="for instance 80, 8080:80 or 53/udp")
    made = {
        "source": int(numbers[0]) if numbers[0] is not None else None,
        "target": int(numbers[1]) if numbers[1] is not None else None,
        "protocol": protocol or "tcp",
    }
    spec = ":".join(number for number in numbers if number is not None)
    return {**made, "spec": f"{spec}/{made['protocol']}"}


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
    text = _draw(stream, first) + "".join(_draw(stream, characters) for _ in range(length - 1))
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
        value = int.from_bytes(bytes(next(stream) for _ in range(width)))
        if value < limit:
            return characters[value % span]
