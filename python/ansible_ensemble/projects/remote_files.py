"""Files that are imported over https: fetched where the user allows it, kept in a cache, pinned by their digests.

What is pinned is taken from the cache, and fetched if it is not there. What is not pinned yet is fetched each time, so
that the first job gets what is current; where the server is away, what was fetched last counts.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.texts import with_shown_urls
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.yaml import place_of

#: The key of an environment with the beginnings of URLs that may be imported from.
KEY = "import_from"

_SCHEME = "https://"
_ALLOW = f"save the file in the project, or allow it by `{KEY}` of an environment, in a project that is trusted"


def allowed_urls(layer: Mapping[str, Any]) -> list[str]:
    """The prefixes of URLs that a layer of an environment allows to import from."""
    written = layer.get(KEY)
    found = [] if written is None else written
    if not isinstance(found, list) or not all(isinstance(one, str) and _is_fetchable(one) for one in found):
        hint = f"{KEY}: [https://example.com/types/]"
        raise InvalidInput(f"{KEY} must be a list of URLs that begin with {_SCHEME}", place_of(layer, KEY), hint)
    return list(found)


def pinned_imports(section: object) -> dict[str, str]:
    """The digests of imported files by URL, as a `lock` section has them."""
    listed = section.get("imports") if isinstance(section, Mapping) else None
    entries = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    return {str(one.get("url")): str(one.get("sha256")) for one in entries}


def recorded_url(url: str) -> str:
    """A URL as a `lock` section has it: a query may hold a token, so its digest stands there."""
    base, mark, query = url.partition("?")
    return f"{base}?{_digest(query.encode())[:16]}" if mark else url


class RemoteFiles:
    """The files of an ensemble that come from elsewhere."""

    def __init__(self, allowed: Sequence[str], pins: Mapping[str, str]) -> None:
        """Begin without files.

        Args:
            allowed: prefixes of URLs that may be fetched.
            pins: digests by URL.
        """
        self._allowed = allowed
        self._pins = pins

    def allows(self, url: str) -> bool:
        """Whether the file of a URL may be fetched."""
        return _is_fetchable(url) and any(url == one or url.startswith(one.rstrip("/") + "/") for one in self._allowed)

    def fetch(self, url: str) -> tuple[Path, str, list[str]]:
        """A file with the content of a URL, its digest, and notices."""
        shown = with_shown_urls(url)
        if not self.allows(url):
            raise InvalidInput(f"imports are not fetched from the network: {shown}", hint=_ALLOW)
        folder, pin = _cache() / _digest(url.encode())[:32], self._pins.get(recorded_url(url))
        if pin is not None and _holds(folder / pin, pin):
            return folder / pin, pin, []
        from ansible_ensemble.projects.download import DownloadFailed, download  # here, for few imports are of the net

        try:
            content = download(url, self.allows)
        except DownloadFailed as error:
            return _fetched_earlier(folder, pin, f"the imported file {shown} cannot be fetched: {error}")
        digest = _digest(content)
        if pin not in (None, digest):
            raise InvalidInput(
                f"the imported file {shown} is not the one that is pinned: its digest is {digest}, not {pin}",
                hint="if the new one is wanted, remove its entry from `imports` of the ensemble's `lock` section",
            )
        return _keep(folder / digest, content), digest, []


def _is_fetchable(url: str) -> bool:
    """Whether a URL is https, without a password and without `..`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    upwards = ".." in unquote(parts.path).split("/")
    return url.startswith(_SCHEME) and bool(parts.hostname) and "@" not in parts.netloc and not upwards


def _cache() -> Path:
    named = os.environ.get("XDG_CACHE_HOME")
    base = Path(named) if named else Path(os.path.expanduser("~")) / ".cache"  # noqa: PTH111  (no error)
    return base / "ansible-ensemble" / "imports"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _holds(file: Path, digest: str) -> bool:
    try:
        return _digest(file.read_bytes()) == digest
    except (OSError, ValueError):
        return False


def _fetched_earlier(folder: Path, pin: str | None, problem: str) -> tuple[Path, str, list[str]]:
    """The file that was fetched last, if none is pinned."""
    files: list[Path] = []
    with suppress(OSError):
        files = sorted((one for one in folder.iterdir() if _holds(one, one.name)), key=lambda one: one.stat().st_mtime)
    if pin is not None or not files:
        raise InvalidInput(problem, hint="check its address, or save the file in the project")
    return files[-1], files[-1].name, [f"{problem}; what was fetched earlier counts"]


def _keep(file: Path, content: bytes) -> Path:
    try:
        make_private(file.parent)
    except OSError as error:
        raise EnsembleError(f"the folder cannot be made: {error.strerror}", Place(str(file.parent))) from error
    write_atomically(file, content.decode(), mode=0o600)
    return file
