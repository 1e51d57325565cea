"""Fetching a file over https."""

from __future__ import annotations

from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ansible_ensemble.core.texts import with_shown_urls

_TIMEOUT = 30  #: seconds without an answer
_LARGEST = 10_000_000  #: bytes of a file


class DownloadFailed(Exception):
    """A file cannot be fetched; its text is the reason."""


def download(url: str, allows: Callable[[str], bool]) -> bytes:
    """The content of a UTF-8 file; only redirections to allowed URLs are followed.

    Raises:
        DownloadFailed: it cannot be fetched, is too large or is not UTF-8.
    """
    opener = build_opener(_Redirects(allows))
    try:
        with opener.open(Request(url, headers={"User-Agent": "ansible-ensemble"}), timeout=_TIMEOUT) as answer:
            content: bytes = answer.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST} bytes")
        content.decode()
    except HTTPError as error:
        raise DownloadFailed(f"{error.code} {error.reason}") from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise DownloadFailed(str(getattr(error, "reason", None) or error)) from error
    return content


class _Redirects(HTTPRedirectHandler):
    """Follows redirections to allowed URLs only."""

    def __init__(self, allows: Callable[[str], bool]) -> None:
        self._allows = allows

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:  # noqa: PLR0917
        if not self._allows(newurl):
            raise ValueError(f"it is redirected to {with_shown_urls(newurl)}, which is not allowed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
