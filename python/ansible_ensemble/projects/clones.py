"""Repositories that a specification names: folders, and clones that are on this machine already.

Nothing is fetched: a repository by URL is met by a clone of it in the project, directly or in `repositories/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.documents.paths import resolved
from ansible_ensemble.expressions.context import TRUST
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.git import remote_url
from ansible_ensemble.topology.imports import local_path

_FOLDER = "repositories"


def find_repositories(environment: Environment) -> dict[str, Path]:
    """The folders of an environment's repositories by name; those that are not on this machine are left out.

    Raises:
        InvalidInput: one that a stranger names is somewhere else on this machine.
    """
    found: dict[str, Path] = {}
    for name, (url, base) in environment.repositories.items():
        folder = local_path(url, base) or find_clone(url, environment.root)
        if folder is not None:
            found[name] = resolved(folder)
            _check_within(environment, name, found[name], base)
    return found


def _check_within(environment: Environment, name: str, folder: Path, base: Path) -> None:
    """Have a stranger's project reach no folder of this machine but its own: files of a repository can be read."""
    own = (environment.root.resolve(), environment.folder)
    if environment.trusted or not any(base.resolve().is_relative_to(root) for root in own):
        return  # set by the user, in the home project
    if not any(folder.is_relative_to(root) for root in own):
        message = f"the repository {name!r} is {folder}, and a project that is not trusted reaches its own folders only"
        raise InvalidInput(message, Place(str(environment.folder)), TRUST)


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
