"""Values that must never be shown: their marks and their masking."""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.texts import CUT, URL_QUERY, is_cut, named_texts

REDACTED = "<<REDACTED>>"

#: The last word of a secret's name; Ansible looks for the like to warn of modules that lack `no_log`.
_SECRET_NAME = regex(
    r"(?:^|[_.-]|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|(?:api|private|secret|access)[_-]?key)$",
    re.IGNORECASE,
)
#: What may be secret in a URL; none that is masked already.
_CREDENTIALS = regex(r"(?:https?://[^/\s?#]+|\w+://[^/\s:@?#]*:[^/\s?#]+)@")
_PASSWORD = regex(r"\w+://[^/\s:@?#]*:([^/\s@<*?#]+)@|https?://([^/\s:@<*{?#]{20,})@")  # so long a user is a token
_PARAMETER = regex(r"([\w.-]+)=((?!/)[^&;<*]{8,})")  # shorter ones are words, and others paths
#: Characters of a text that nobody asked for, at most.
LONGEST_SHOWN = 50_000
_KEY = regex(r"^[\s\-\"'{]*([\w.-]+)[\"']?\s*[:=]", re.MULTILINE)


def holds_secret(name: str, value: Any) -> bool:
    """Whether a value is a secret by its name, or by the name of a part of it."""
    if is_secret_name(name):
        return True
    if isinstance(value, dict):
        return any(holds_secret(str(key), item) for key, item in value.items())
    return isinstance(value, (list, tuple)) and any(holds_secret("", item) for item in value)


class Sensitive:
    """Mark of a value that must not be shown or stored in clear; it behaves as the value, and `repr` hides it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return REDACTED


class SensitiveStr(Sensitive, str):
    """A sensitive string."""

    __slots__ = ()


class SensitiveMap(Sensitive, dict[str, Any]):
    """A sensitive map; everything in it counts as sensitive."""

    __slots__ = ()


class SensitiveList(Sensitive, list[Any]):
    """A sensitive list; everything in it counts as sensitive."""

    __slots__ = ()


class SensitiveInt(Sensitive, int):
    """A sensitive integer."""

    __slots__ = ()


class SensitiveFloat(Sensitive, float):
    """A sensitive float."""

    __slots__ = ()


def is_secret_name(name: str) -> bool:
    """Whether a variable is a secret by its name, such as `db_password`, `ansible_become_pass` or `apiToken`."""
    return _SECRET_NAME.search(name) is not None


def holds_credentials(text: str) -> bool:
    """Whether a URL in the text has a password, by HTTP a user, who may be a token, or a secret in its query."""
    return _CREDENTIALS.search(text) is not None or any(_secrets_of_queries(text))


def secrets_of_urls(value: Any) -> Iterator[str]:
    """The passwords and tokens of URLs in data, as they are written there and as they are meant."""
    for _name, text in named_texts(value):
        if "://" in text:
            found = (password or user for password, user in _PASSWORD.findall(text))
            for secret in (*found, *_secrets_of_queries(text)):
                yield from dict.fromkeys((secret, unquote(secret)))


def _secrets_of_queries(text: str) -> Iterator[str]:
    for _url, query in URL_QUERY.findall(text):
        for name, value in _PARAMETER.findall(query):
            if is_secret_name(name) or name.lower().endswith(("sig", "signature")):
                yield value.rstrip(".,:;)]}")  # of the sentence that it stands in


def may_show(text: str) -> bool:
    """Whether a text has no secret that one can see: it is not encrypted, not binary, and gives no secret a value."""
    if len(text) > LONGEST_SHOWN or "\0" in text or "$ANSIBLE_VAULT;" in text or "PRIVATE KEY-----" in text:
        return False
    return not any(is_secret_name(key) for key in _KEY.findall(text))


def mark_sensitive(value: Any) -> Any:
    """Return the value marked as sensitive; null and booleans carry no secret and stay as they are."""
    if value is None or isinstance(value, (bool, Sensitive)):
        return value
    for kind, marked in _MARKED.items():
        if isinstance(value, kind):
            return marked(value)
    return SensitiveStr(str(value))


_MARKED: dict[type, Callable[[Any], Any]] = {
    str: SensitiveStr,
    dict: SensitiveMap,
    list: SensitiveList,
    int: SensitiveInt,
    float: SensitiveFloat,
}


def is_sensitive(value: Any) -> bool:
    """Whether the value, or any value inside it, is marked as sensitive."""
    if isinstance(value, Sensitive):
        return True
    if isinstance(value, dict):
        return any(is_sensitive(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(is_sensitive(item) for item in value)
    return False


def redact(value: Any) -> Any:
    """Return the value with each sensitive part replaced by `<<REDACTED>>`."""
    if isinstance(value, Sensitive):
        return REDACTED
    if isinstance(value, dict):
        return {key: redact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(item) for item in value]
    return value


def reveal(value: Any) -> Any:
    """Return the value without its marks, as plain strings, numbers, maps and lists."""
    if isinstance(value, dict):
        return {key: reveal(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [reveal(item) for item in value]
    if isinstance(value, SensitiveStr):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else value


class Redactor:
    """Masks known secrets wherever they appear in text or data.

    A taint follows values through our own code; a secret that a command prints comes back as plain text,
    so every secret that was ever handed out is also masked by its text, by each of its lines, and by its text as JSON,
    a URL, a shell or base64 write it. Where a text was cut, what is left of a secret at the gap is masked too: down to
    one character where the gap says how much is missing, to `shortest` at an ellipsis, which ordinary texts have as
    well. Secrets of fewer than `shortest` characters are not masked by text: they would mask ordinary words.

    Attributes:
        too_short: names of the secrets that are not; an empty name is of one that is known by no name.
    """

    shortest = 4

    def __init__(self, secrets: Iterable[Any] = ()) -> None:
        self.too_short: set[str] = set()
        self._secrets: set[str] = set()
        self._ordered: list[str] = []
        # the secrets by how they begin, and all of them backwards by how they end
        self._by_head: dict[str, list[str]] = {}
        self._by_tail: dict[str, list[str]] = {}
        for secret in secrets:
            self.add(secret)

    def add(self, value: Any, name: str = "") -> None:
        """Remember the texts of a secret (each leaf of a map or list), and its name should it be too short to mask."""
        if isinstance(value, dict):
            for item in value.values():
                self.add(item, name)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.add(item, name)
        elif value is not None and not isinstance(value, bool):
            text = str.__str__(value) if isinstance(value, str) else str(reveal(value))
            for form in (text, *_encoded(text)):
                self._add_text(form)
            if 0 < len(text) < self.shortest:
                self.too_short.add(name)
            for line in text.splitlines():
                self._add_text(line.strip())

    def _add_text(self, text: str) -> None:
        if len(text) >= self.shortest and text not in self._secrets:
            self._secrets.add(text)
            self._ordered = []
            for known, one in ((self._by_head, text), (self._by_tail, text[::-1])):
                for length in range(1, self.shortest + 1):
                    known.setdefault(one[:length], []).append(one)

    @property
    def secrets(self) -> list[str]:
        """The texts that are masked, longest first."""
        return list(self._longest_first())

    def text(self, text: str) -> str:
        """Return the text with each known secret masked."""
        for secret in self._candidates(text):
            text = text.replace(secret, REDACTED)
        return self._without_rests(text) if self._secrets and ("..." in text or "…" in text) else text

    def _candidates(self, text: str) -> list[str]:
        """The secrets that may be in a text, longest first; of many, those that begin as some part of it."""
        if len(text) > len(self._secrets):
            return self._longest_first()
        parts = {text[start : start + self.shortest] for start in range(len(text) - self.shortest + 1)}
        found = (secret for head in self._by_head.keys() & parts for secret in self._by_head[head])
        return sorted((secret for secret in found if secret in text), key=len, reverse=True)

    def _longest_first(self) -> list[str]:
        if len(self._ordered) != len(self._secrets):
            self._ordered = sorted(self._secrets, key=len, reverse=True)
        return self._ordered

    def _without_rests(self, text: str) -> str:
        """The text without what is left of secrets at the gaps in it."""
        parts = CUT.split(text)
        least = [1 if is_cut(gap) else self.shortest for gap in parts[1::2]]
        for number in range(0, len(parts), 2):
            if number + 1 < len(parts) and (rest := self._rest(parts[number], self._by_head, least[number // 2])):
                parts[number] = parts[number][:-rest] + REDACTED
            if number and (rest := self._rest(parts[number][::-1], self._by_tail, least[number // 2 - 1])):
                parts[number] = REDACTED + parts[number][rest:]
        return "".join(parts)

    def _rest(self, text: str, known: Mapping[str, list[str]], least: int) -> int:
        """How many characters of a secret's beginning, at least so many, end the text."""
        for start in range(max(0, len(text) - len(self._longest_first()[0]) + 1), len(text) - least + 1):
            secrets = known.get(text[start : start + self.shortest], ())
            if any(secret.startswith(text[start:]) for secret in secrets):  # a whole one is masked already
                return len(text) - start
        return 0

    def marked(self, value: Any) -> Any:
        """Return plain data with each text marked as sensitive that has a known secret in it."""
        if isinstance(value, dict):
            return {key: self.marked(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.marked(item) for item in value]
        return mark_sensitive(value) if isinstance(value, str) and self.text(value) != value else value

    def data(self, value: Any) -> Any:
        """Return the data with marked values redacted and known secrets masked in every string."""
        if isinstance(value, Sensitive):
            return REDACTED
        if isinstance(value, dict):
            return {self.data(key): self.data(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.data(item) for item in value]
        if isinstance(value, str) and self._secrets:
            return self.text(value)
        return value


def _encoded(text: str) -> Iterator[str]:
    """A secret as others write it: JSON, a URL, a shell, and base64 of it alone, with and without a line's end."""
    if len(text) < Redactor.shortest:
        return
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    data = text.encode("utf-8", "surrogatepass")
    yield quote(data, safe="")
    yield shlex.quote(text)
    for one in (data, data + b"\n"):
        yield base64.b64encode(one).decode().rstrip("=")
