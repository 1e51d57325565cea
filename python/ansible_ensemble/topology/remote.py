"""Service templates that are imported over https, by their URLs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urljoin

SCHEME = "https://"


class Remote(Protocol):
    """Fetches what the user allows to be fetched."""

    def allows(self, url: str) -> bool:
        """Whether the file of a URL may be fetched."""

    def fetch(self, url: str) -> tuple[Path, str, list[str]]:
        """A file with the content of a URL, the digest of that, and what is to be told."""


def url_of(name: str, repository: Any, repositories: Mapping[str, Any], importing: str | None) -> str | None:
    """The URL that an import means; None if it is a file of this machine.

    Args:
        name: the file's name, path or URL.
        repository: the name of the repository that it is in; None if it is in none.
        repositories: those that are known.
        importing: the URL of the file that imports it, if that was fetched itself.
    """
    if name.startswith(SCHEME):
        return name
    if repository is None:
        return _joined(importing, name) if importing else None
    entry = repositories.get(repository) if isinstance(repository, str) else None
    base = str(entry.get("url", entry.get("file", ""))) if isinstance(entry, Mapping) else ""
    return _joined(base.rstrip("/") + "/", name.lstrip("/")) if base.startswith(SCHEME) else None


def _joined(base: str, name: str) -> str:
    try:
        return urljoin(base, name)
    except ValueError:  # it is no URL, and not fetched as such
        return base + name
