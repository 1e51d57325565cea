"""The files of pages in a browser, and what browsers are told to refuse."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import PurePath

from msgspec import Struct

_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
#: Browsers run no script but the pages' own, and tell no other site of them.
PAGE_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageFile(Struct, frozen=True):
    """A file of pages."""

    body: bytes
    content_type: str


def page_files(*folders: Traversable) -> dict[str, PageFile]:
    """The files of folders by their names; those of a later folder count."""
    return {
        file.name: PageFile(file.read_bytes(), _TYPES[PurePath(file.name).suffix])
        for folder in folders
        for file in folder.iterdir()
        if PurePath(file.name).suffix in _TYPES
    }
