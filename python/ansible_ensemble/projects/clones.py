"""Repositories that a specification names: folders, and clones that are on this machine already.

Nothing is fetched: a repository by URL is met by a clone of it in the project, directly or in `repositories/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.documents.paths import resolved
from ansible_ensemble.projects.git import remote_url
from ansible_ensemble.topology.imports import local_path

_FOLDER = "repositories"


def find_repositories(urls: Mapping[str, tuple[str, Path]], root: Path) -> dict[str, Path]:
    """The folders of repositories by name; those that are not on this machine are left out.

    Args:
        urls: by name, a path or URL, and the folder that a relative path starts in.
        root: the project's folder.
    """
    found: dict[str, Path] = {}
    for name, (url, base) in urls.items():
        folder = local_path(url, base) or find_clone(url, root)
        if folder is not None:
            found[name] = resolved(folder)
    return found


def find_clone(url: str, root: Path) -> Path | None:
    """The clone of a repository in a project, None if there is none."""
    wanted = _canonical(url)
    return next((folder for folder in _clones(root) if _canonical(remote_url(folder)) == wanted), None)


def _clones(root: Path) -> Iterator[Path]:
    for folder in (root, root / _FOLDER):
        if folder.is_dir():
            yield from (one for one in sorted(folder.iterdir()) if (one / ".git").exists())


def _canonical(url: str) -> str:
    """A URL without what makes no other repository of it: credentials, a fragment, `.git`, a closing slash."""
    return without_credentials(url).partition("#")[0].rstrip("/").removesuffix(".git")
