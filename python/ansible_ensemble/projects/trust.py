"""Which folders the user trusts: code in others is never run.

Trust is the user's and not the project's: a file in the user's state folder names the folders. It is given by `trust`,
by making a project, or by approving a job; the nearest entry above a folder decides.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from functools import lru_cache
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.projects.project import project_root

#: Folders that are trusted as projects by this process and those it starts; as many as there are, as in PATH.
VARIABLE = "ANSIBLE_ENSEMBLE_TRUST"


class Trust(Enum):
    """Whether a folder is trusted."""

    #: of it and of all below
    ALL = "all"
    #: of it as far as it is one project: no repository and no project within it
    PROJECT = "project"
    #: it came from elsewhere, and counts for itself within what is trusted
    NONE = "none"


def is_trusted(path: Path) -> bool:
    """Whether code in a folder, or in that of a file, may be run.

    A link is trusted if both its folder and its target are.
    """
    return not strange_folders(path)


def strange_folders(path: Path) -> list[Path]:
    """The untrusted ones of a path's own folder and that of its target."""
    entries = trusted_folders()
    is_link = path.is_symlink() and not path.is_dir()
    places = [_folder(path), *([path.parent.resolve()] if is_link else [])]
    return [folder for folder in dict.fromkeys(places) if not _is_trusted(folder, entries)]


def _is_trusted(folder: Path, entries: Mapping[Path, Trust]) -> bool:
    root, within = project_root(folder), True
    for candidate in (folder, *folder.parents):
        said = entries.get(candidate)
        if said is Trust.ALL or (said is Trust.PROJECT and within):
            return True
        if said is Trust.NONE:
            return False
        within = within and candidate != root
    return False


def trusted_folders() -> dict[Path, Trust]:
    """Trust by folder; a file that cannot be read is treated as empty."""
    entries: Mapping[Path, Trust] = {}
    with suppress(OSError):
        file = _file()
        state = file.stat()
        entries = _entries(file, (state.st_ino, state.st_mtime_ns, state.st_size))
    given = {Path(folder).resolve() for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder}
    return {**entries, **{folder: Trust.PROJECT for folder in given if entries.get(folder) is not Trust.ALL}}


@lru_cache(maxsize=1)
def _entries(file: Path, _state: tuple[int, ...]) -> Mapping[Path, Trust]:
    """What the file says in a state; each call of git asks for it, and whoever writes the file replaces it."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {Path(folder): Trust(said) for folder, said in found["folders"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def trust(folder: Path) -> Path:
    """Trust a folder and all below from now on, and return it as it is kept."""
    return _keep(folder, Trust.ALL)


def withdraw(folder: Path) -> bool:
    """Remove a folder from the list; False if it was not in it."""
    if folder.resolve() not in trusted_folders():
        return False
    _keep(folder, None)
    return True


def grant(path: Path) -> None:
    """Trust a project in this process and those it starts, where the way it is run implies consent."""
    root = str(consent_folder(path))
    given = [folder for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    if root not in given:
        os.environ[VARIABLE] = os.pathsep.join((*given, root))


def approve(path: Path) -> None:
    """Trust the project of an approved job, permanently if that can be saved."""
    folder = consent_folder(path)
    if trusted_folders().get(folder) is Trust.ALL:
        return
    grant(folder)
    try:
        _keep(folder, Trust.PROJECT)
    except EnsembleError:  # a container without a home: it holds for this job
        return


def distrust(folder: Path) -> None:
    """Do not trust a folder whose contents were copied, even within a trusted one."""
    try:
        _keep(folder, Trust.NONE)
    except EnsembleError:
        if is_trusted(folder):
            raise


def consent_folder(path: Path) -> Path:
    """The folder to trust for running a path: its project, or the copied folder in it."""
    folder, entries = _folder(path), trusted_folders()
    root = project_root(folder)
    between = (one for one in (folder, *folder.parents) if one == root or entries.get(one) is Trust.NONE)
    return next(between, root)


def _folder(path: Path) -> Path:
    resolved = path.resolve()
    return resolved if resolved.is_dir() else resolved.parent


def _file() -> Path:
    named = os.environ.get("XDG_STATE_HOME")
    state = Path(named) if named else Path(os.path.expanduser("~")) / ".local" / "state"  # noqa: PTH111  (no error)
    return state / "ansible-ensemble" / "trust.json"


def _keep(folder: Path, how: Trust | None) -> Path:
    folder, file = folder.resolve(), _file()
    try:
        make_private(file.parent)
        with _alone(file):
            entries = {Path(name): Trust(said) for name, said in _written(file).items()}
            if how is None:
                entries.pop(folder, None)
            else:
                entries[folder] = how
            document = {"version": 1, "folders": {str(name): said.value for name, said in sorted(entries.items())}}
            write_atomically(file, json.dumps(document, indent=2) + "\n", mode=0o600)
    except (OSError, ValueError) as error:
        raise EnsembleError(f"the list of trusted folders cannot be written: {error}", Place(str(file))) from error
    return folder


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Lock the file, by one beside it, as the file itself is replaced.

    Without OS locks on the file system, nothing is locked.
    """
    beside = os.open(file.with_name(f"{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):
            fcntl.flock(beside, fcntl.LOCK_EX)
        yield
    finally:
        os.close(beside)


def _written(file: Path) -> dict[str, str]:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    folders = document.get("folders", {}) if isinstance(document, dict) else None
    if not isinstance(folders, dict):
        raise ValueError("the file is not a list of trusted folders")
    return folders
