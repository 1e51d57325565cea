"""Paths with slashes, and URLs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from urllib.parse import quote, unquote, urlsplit

from ansible_ensemble.core.budget import Fault
from ansible_ensemble.provision.gotemplate.literals import bytes_of
from ansible_ensemble.provision.gotemplate.values import Value, kind_of

_FRAGMENT = "$&+,/:;=?@!'()*~-._"
_BAD_ESCAPE = re.compile("%(?![0-9a-fA-F]{2}).{0,2}")
_PARTS = ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo")


def cleaned(path: str) -> str:
    """The shortest path that means the same, by names alone; `.` for the empty one."""
    path = posixpath.normpath(path)
    return path[1:] if path.startswith("//") else path


def _base(path: str) -> str:
    if not path:
        return "."
    return posixpath.basename(path.rstrip("/")) or "/"


def _dir(path: str) -> str:
    return cleaned(path[: path.rfind("/") + 1])


def _ext(path: str) -> str:
    name = path[path.rfind("/") + 1 :]
    return name[name.rfind(".") :] if "." in name else ""


def _is_abs(path: str) -> bool:
    return path.startswith("/")


def _url_parse(url: str) -> dict[str, Value]:
    if any(character < " " or character == "\x7f" for character in url):
        raise Fault("unable to parse url: invalid control character in URL")
    scheme, _separator, rest = url.partition(":")
    if not rest or rest.startswith("/") or not _is_scheme(scheme):
        return _split(url)
    opaque, _separator, fragment = rest.partition("#")
    opaque, _separator, query = opaque.partition("?")
    parts = dict.fromkeys((*_PARTS, "hostname"), "")
    return {**parts, "scheme": scheme.lower(), "opaque": opaque, "query": query, "fragment": _plain(fragment)}


def _is_scheme(text: str) -> bool:
    return text[:1].isalpha() and text.isascii() and text.replace("+", "").replace("-", "").replace(".", "").isalnum()


def _split(url: str) -> dict[str, Value]:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise Fault(f"unable to parse url: {error}") from None
    user, at, host = parts.netloc.rpartition("@")
    hostname = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
    return {
        "scheme": parts.scheme,
        "host": _plain(host),
        "hostname": _plain(hostname),
        "path": _plain(parts.path),
        "query": parts.query,
        "opaque": "",
        "fragment": _plain(parts.fragment),
        "userinfo": user if at else "",
    }


def _plain(text: str) -> str:
    bad = _BAD_ESCAPE.search(text)
    if bad:
        raise Fault(f'unable to parse url: invalid URL escape "{bad[0]}"')
    return unquote(text, errors="surrogateescape")


def _url_join(data: dict[str, Value]) -> str:
    scheme, host, path, query, opaque, fragment, user = (_text_at(data, key) for key in _PARTS)
    start = f"{scheme}:" if scheme else ""
    if opaque:
        start += opaque
    else:
        path = quote(bytes_of(path), safe="/$&+,:;=@!'()*~-._")
        if scheme or host or user:
            start += f"//{user}{'@' if user else ''}{host}" if host or user else ""
            start += "/" if path and not path.startswith("/") and host else ""
        start += path
    end = f"?{query}" if query else ""
    return start + end + (f"#{quote(bytes_of(fragment), safe=_FRAGMENT)}" if fragment else "")


def _text_at(data: dict[str, Value], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise Fault(f"unable to parse {key} key, must be of type string, but {kind_of(value)} found")
    return value


TABLE: dict[str, Callable[..., Value]] = {
    "base": _base,
    "clean": cleaned,
    "dir": _dir,
    "ext": _ext,
    "isAbs": _is_abs,
    "osBase": _base,
    "osClean": cleaned,
    "osDir": _dir,
    "osExt": _ext,
    "osIsAbs": _is_abs,
    "urlJoin": _url_join,
    "urlParse": _url_parse,
}
