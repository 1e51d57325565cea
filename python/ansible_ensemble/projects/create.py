"""Making projects: a new one from the skeleton, or a copy of another by git, from a folder or from an archive."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct, field

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.texts import with_shown_urls
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.csar import open_csar
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.paths import is_file, is_there, resolved
from ansible_ensemble.projects.ci import check_ci, write_ci
from ansible_ensemble.projects.git import clone_repository, commit, init_repository, repository_of
from ansible_ensemble.projects.gitfiles import ATTRIBUTES, GITIGNORE, ensure_lines, ignore_local_files
from ansible_ensemble.projects.project import (
    ENSEMBLE_FILE,
    PROJECT_FILES,
    TEMPLATE_FILE,
    find_project,
    list_ensembles,
    read_project,
)
from ansible_ensemble.projects.schemas import SCHEMAS, write_schemas

_URL = regex(r"\w[\w+.-]*://|[\w.-]+@[\w.-]+:|[\w-]+:(?![\\/])")
_ARCHIVES = (".zip", ".csar")
#: What a copy of a folder leaves behind: what jobs made and git would not have either.
LEFT_BEHIND = (
    *("planned", "jobs", "failed.*", "*.lock", "*.lock.*", "*.journal"),
    *("*.key", ".ansible", "__pycache__", ".git"),
)


class Created(Struct, frozen=True):
    """What was made.

    Attributes:
        folder: the project's folder, absolute.
        files: the files that were written, relative to it; empty for a clone.
        ensembles: the ensembles in it, absolute.
        within: the project that the folder was in already.
        notices: optional steps that failed.
    """

    folder: Path
    files: list[str] = field(default_factory=list)
    ensembles: list[Path] = field(default_factory=list)
    within: Path | None = None
    notices: list[str] = field(default_factory=list)


def init_project(folder: Path, *, template: str | None = None, ci: str | None = None) -> Created:
    """Make a project of a folder, or one more ensemble of a folder within a project.

    The folder is made if it is missing; files that are there already stay as they are. Without the path of a service
    template within it, the ensemble gets a new sample. With a CI server, its file is written too; in a folder that has
    an ensemble, it alone.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100  (links stay as they are named)
    with _reported(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if ci is not None:
        check_ci(folder, ci)
        if (folder / ENSEMBLE_FILE).exists():
            return _with_ci(folder, ci)
    if (folder / ENSEMBLE_FILE).exists():
        raise InvalidInput("there is an ensemble already", Place(str(folder / ENSEMBLE_FILE)))
    if template is not None and not is_file(folder / template):
        raise InvalidInput("there is no such service template", Place(str(folder / template)))
    outer = find_project(folder)
    within = outer.file is not None and outer.root != folder.resolve()
    root = outer.root if within else folder
    schemas = os.path.relpath(root.resolve() / SCHEMAS, folder.resolve())
    with _reported(folder):
        written, kept = _write_skeleton(folder, schemas, within=within, template=template)
        if not within:
            if ignore_local_files(folder):
                written.append(GITIGNORE)
            if ensure_lines(folder / ".gitattributes", ATTRIBUTES):
                written.append(".gitattributes")
            written += write_schemas(folder)
        elif not (root / SCHEMAS).exists():
            write_schemas(root)
        if ci is not None:
            written.append(write_ci(folder, ci))
    notices = [f"{path} exists and is left unchanged" for path in sorted(kept)]
    project = outer.root if outer.file is not None else None
    notices += _keep_in_git(folder, written)
    return Created(folder, sorted(written), [folder / ENSEMBLE_FILE], project, notices)


def _with_ci(folder: Path, ci: str) -> Created:
    """Write the file of a CI server for a project that is there."""
    with _reported(folder):
        written = [write_ci(folder, ci)]
        if ignore_local_files(folder):  # what it writes is in local/
            written.append(GITIGNORE)
    return Created(folder, written, [folder / ENSEMBLE_FILE])


def _write_skeleton(folder: Path, schemas: str, *, within: bool, template: str | None) -> tuple[list[str], list[str]]:
    """Write the files of a new project or ensemble; returns those written, and those that existed."""
    written, kept = [], []
    for path, source in _skeleton(resources.files(__package__) / "skeleton", ""):
        target = folder / path
        if (within and path not in (ENSEMBLE_FILE, TEMPLATE_FILE)) or (template is not None and path == TEMPLATE_FILE):
            continue
        if target.exists():
            kept.append(path)
        elif not (path in PROJECT_FILES and any((folder / n).exists() for n in PROJECT_FILES)):
            target.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text(encoding="utf-8").replace(SCHEMAS, schemas)
            if path == ENSEMBLE_FILE and template is not None:
                text = text.replace(TEMPLATE_FILE, emit_yaml(template).strip())
            write_atomically(target, text)
            written.append(path)
    return written, kept


def clone_project(source: str, folder: Path | None = None) -> Created:
    """Copy a project or an ensemble.

    Args:
        source: a git URL; a folder, or a file in one, which is cloned if it is in a repository and copied if not; or
            a TOSCA archive, of which a project is made.
        folder: where to; None is a new folder here, named as the source.
    """
    is_url = _URL.match(source) is not None and not is_there(Path(source))
    path = with_home(source)
    if not is_url and not is_there(path):
        raise InvalidInput(f"there is no {with_shown_urls(source)}", hint="give a git URL, a folder or an archive")
    target = resolved(folder or Path(_name(source)))
    with _reported(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InvalidInput("the folder is not empty", Place(str(target)), "name another one")
    if is_url:
        clone_repository(source, target)
    elif path.suffix.lower() in _ARCHIVES and path.is_file():
        entry = open_csar(path, target)
        return init_project(target, template=os.path.relpath(entry, target))
    else:
        _copy(path.resolve() if path.is_dir() else path.resolve().parent, target)
    return Created(target, ensembles=_ensembles(target))


def _copy(source: Path, target: Path) -> None:
    root = repository_of(source)
    if root is not None:
        clone_repository(str(root), target)
        return
    if target.is_relative_to(source):
        raise InvalidInput("a folder cannot be copied into itself", Place(str(target)), "name a folder outside of it")
    with _reported(target):
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*LEFT_BEHIND))


def _ensembles(folder: Path) -> list[Path]:
    files = [folder / name for name in PROJECT_FILES if (folder / name).is_file()]
    return list_ensembles(read_project(files[0]) if files else find_project(folder))


def _keep_in_git(folder: Path, written: list[str]) -> list[str]:
    """Make the folder a repository if it is in none, with the new files as its first commit."""
    if repository_of(folder) is not None:
        return []
    try:
        init_repository(folder)
        commit(folder, [folder / path for path in written], "A new project")
    except EnsembleError as error:
        return [f"the project is not in git: {error.message}"]
    return []


def _skeleton(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _skeleton(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def _name(source: str) -> str:
    """The folder's name for a source: its last part without an ending."""
    last = re.split(r"[/:\\]", source.rstrip("/\\"))[-1]
    if last in (ENSEMBLE_FILE, "", ".", ".."):
        last = Path(source).resolve().parent.name if last == ENSEMBLE_FILE else Path(source).resolve().name
    stem = re.sub(r"\.(git|zip|csar)$", "", last, flags=re.IGNORECASE)
    return stem or "project"


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = str(error.filename or path)
        raise EnsembleError(f"the project cannot be made: {error.strerror or error}", Place(name)) from error
