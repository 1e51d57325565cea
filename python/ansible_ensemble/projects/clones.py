"""Repositories that a specification names: folders, and clones that are on this machine already.

Nothing is fetched: a repository by URL is met by a clone of it in the project, directly or in `repositories/`. One by
Unfurl's `git-local://COMMIT:/PATH` is known by its first commit, and may also be one that the project lies in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place, shown_path
from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.documents.paths import confine, resolved
from ansible_ensemble.expressions.context import TRUST
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.git import first_commit, remote_url
from ansible_ensemble.topology.imports import local_path

_FOLDER = "repositories"
_LOCAL = "git-local://"
#: What Unfurl's projects call themselves where they do not say otherwise.
_OWN = ("self", "spec")


def find_repositories(environment: Environment, data: Any = None) -> dict[str, Path]:
    """The folders of an environment's repositories by name; those that are not on this machine are left out.

    Args:
        environment: names them, and wins.
        data: an ensemble, of which those count whose URLs only Unfurl has, with the names that its projects have.
    """
    found: dict[str, Path] = {}
    for name, (url, base) in (_written(data, environment) | environment.repositories).items():
        folder = local_path(url, base) or find_clone(url, environment.root)
        if folder is not None:
            found[name] = resolved(folder)
            _check_within(environment, name, found[name], base)
    return found


def _written(data: Any, environment: Environment) -> dict[str, tuple[str, Path]]:
    """The repositories that an ensemble itself names by URLs of this machine's clones."""
    found: dict[str, tuple[str, Path]] = {}
    if isinstance(data, Mapping) and str(data.get("apiVersion")).startswith("unfurl/"):
        found = dict.fromkeys(_OWN, (".", environment.root))
    for key in ("spec", "service_template", "repositories"):
        data = data.get(key) if isinstance(data, Mapping) else None
    for name, entry in data.items() if isinstance(data, Mapping) else ():
        url = entry.get("url") if isinstance(entry, Mapping) else entry
        if isinstance(url, str) and url.startswith(_LOCAL):
            found[str(name)] = (url, environment.folder)
    return found


def _check_within(environment: Environment, name: str, folder: Path, base: Path) -> None:
    """Refuse repositories outside of a project that is not trusted: their files could be read."""
    own = (environment.root.resolve(), environment.folder)
    if environment.trusted or not any(base.resolve().is_relative_to(root) for root in own):
        return  # set by the user, in the home project
    if not any(folder.is_relative_to(root) for root in own):
        message = f"the repository {name!r} is {folder}, and a project that is not trusted reaches its own folders only"
        is_spec = folder == environment.folder.parent and (folder / ".git").exists()  # the outer one of Unfurl's two
        hint = TRUST.replace("FOLDER", shown_path(str(folder if is_spec else environment.root)))
        raise InvalidInput(message, Place(str(environment.folder)), hint)


def find_clone(url: str, root: Path) -> Path | None:
    """The clone of a repository in a project, None if there is none."""
    if url.startswith(_LOCAL):
        return _find_local(url.removeprefix(_LOCAL), root)
    wanted = _canonical(url)
    return next((folder for folder in _clones(root) if _canonical(remote_url(folder)) == wanted), None)


def _find_local(url: str, root: Path) -> Path | None:
    commit, _separator, path = url.partition(":")
    around = (folder for folder in (root, *root.parents) if (folder / ".git").exists())
    for folder in (*around, *_clones(root)):
        if commit and first_commit(folder) == commit:
            return confine(path.lstrip("/") or ".", folder, (folder,), "the folder of the repository")
    return None


def _clones(root: Path) -> Iterator[Path]:
    for folder in (root, root / _FOLDER):
        if folder.is_dir():
            yield from (one for one in sorted(folder.iterdir()) if (one / ".git").exists())


def _canonical(url: str) -> str:
    """A URL without credentials, fragment, `.git` and trailing slash."""
    return without_credentials(url).partition("#")[0].rstrip("/").removesuffix(".git")
