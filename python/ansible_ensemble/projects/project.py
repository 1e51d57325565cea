"""A project: the folder of one or several ensembles, with a file that names their environments.

The file is `ensemble-project.yaml`, or `unfurl.yaml` as Unfurl writes it. A git repository, or an ensemble's folder,
is a project without such a file, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.notices import Notice
from ansible_ensemble.documents.ensemble_schema import project_schema
from ansible_ensemble.documents.merge import expand
from ansible_ensemble.documents.paths import is_file, is_folder, resolved
from ansible_ensemble.documents.places import Map
from ansible_ensemble.documents.schema import unheeded
from ansible_ensemble.documents.yaml import Document, place_of, read_yaml
from ansible_ensemble.projects.vault import is_encrypted

ENSEMBLE_FILE = "ensemble.yaml"
TEMPLATE_FILE = "service-template.yaml"
PROJECT_FILES = ("ensemble-project.yaml", "unfurl.yaml")
_UNSEARCHED = frozenset({"collections", "planned", "active", "changes", "jobs", "node_modules"})
_DEEPEST = 4


class EnsembleEntry(Struct, frozen=True):
    """An ensemble that a project's file names.

    Attributes:
        file: its file, absolute.
        name: its alias; empty if it has none.
        environment: the environment it is for; empty if not given.
        default: whether it is used if none is named.
    """

    file: Path
    name: str = ""
    environment: str = ""
    default: bool = False


class Project(Struct, frozen=True):
    """A project.

    Attributes:
        root: its folder, absolute.
        file: its file, None if it has none.
        environments: the environments by name, raw; `defaults` goes below all others.
        default_environment: the environment that is used if none is named; empty if there is none.
        ensembles: the ensembles that the file names.
        notices: of keys in the file that have no effect.
        included: the files that its merge directives took in.
    """

    root: Path
    file: Path | None = None
    environments: Mapping[str, Any] = field(default_factory=dict)
    default_environment: str = ""
    ensembles: tuple[EnsembleEntry, ...] = ()
    notices: tuple[Notice, ...] = ()
    included: tuple[Path, ...] = ()

    def entry(self, ensemble: Path) -> EnsembleEntry | None:
        """The project's entry for an ensemble, None if there is none."""
        return next((entry for entry in self.ensembles if entry.file == ensemble.resolve()), None)


#: How many of several ensembles an error names.
_SHOWN = 5


def find_project(path: Path) -> Project:
    """The project that holds an ensemble or a folder.

    The nearest folder above that has a project's file, within the git repository; else the repository; else the
    folder itself.
    """
    root = _root_of(path)
    file = _project_file(root)
    return read_project(file) if file is not None else Project(root)


def project_file(path: Path) -> Path | None:
    """The file of the project that holds an ensemble or a folder, which is not read; None if it has none."""
    return _project_file(_root_of(path))


def _root_of(path: Path) -> Path:
    start = path.resolve()
    return project_root(start if start.is_dir() else start.parent)


def project_root(folder: Path) -> Path:
    """The root of the project that holds a resolved folder, without a look into its file."""
    return next(filter(is_project, (folder, *folder.parents)), folder)


def repository_root(folder: Path) -> Path:
    """The root of the git repository that holds a folder, or else of its project."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), project_root(folder))


def in_repository(path: str | Path, folder: Path) -> str:
    """A path as the repository of a folder has it."""
    return os.path.relpath(path, repository_root(folder))


def is_project(folder: Path) -> bool:
    """Whether a folder is a project by what is in it: its file, or a git repository."""
    return _project_file(folder) is not None or (folder / ".git").exists()


def _project_file(folder: Path) -> Path | None:
    return next((folder / name for name in PROJECT_FILES if (folder / name).is_file()), None)


def read_project(file: Path) -> Project:
    """Read a project's file."""
    file = file.parent.resolve() / file.name
    included: list[Path] = []
    data = expand(read_yaml(file), included=included, read=_read)
    if not isinstance(data, Mapping):
        raise InvalidInput("this is not a project", Place(str(file)), hint="it is a map with `environments` in it")
    if data.get("kind") not in (None, "Project"):
        raise InvalidInput(f"this is not a project, but of the kind {data['kind']!r}", place_of(data, "kind"))
    environments = {} if data.get("environments") is None else data["environments"]
    if not isinstance(environments, Mapping):
        raise InvalidInput("environments must be a map by name", place_of(data, "environments"))
    for name, section in environments.items():
        if section is not None and not isinstance(section, Mapping):
            raise InvalidInput(f"the environment {name!r} must be a map", place_of(environments, name))
    return Project(
        root=file.parent,
        file=file,
        environments={str(name): section or {} for name, section in environments.items()},
        default_environment=str(data.get("default_environment") or ""),
        ensembles=tuple(_entries(data, file)),
        notices=tuple(unheeded(data, project_schema())),
        included=tuple(included),
    )


def _read(path: Path) -> Document:
    """A file to include; one that is encrypted is empty here, for the environment opens it with the vault's passwords.

    The project itself may name them, so that they are not known before it is read.
    """
    document = read_yaml(path)
    return replace(document, data=Map()) if is_encrypted(document.text.encode()) else document


def home_project() -> Project | None:
    """The user's own project, whose environments lie below those of every other; None if there is none."""
    file = home_file()
    return read_project(file) if file is not None else None


def home_file() -> Path | None:
    """The file of the user's own project in `$ANSIBLE_ENSEMBLE_HOME`, else in `~/.config/ansible-ensemble`."""
    named = os.environ.get("ANSIBLE_ENSEMBLE_HOME")
    try:
        home = Path(named).expanduser() if named else Path.home() / ".config" / "ansible-ensemble"
    except RuntimeError:  # a user without a home, as in some containers
        return None
    return _project_file(home)


def list_ensembles(project: Project) -> list[Path]:
    """The ensembles of a project: those its file names, then those found in its folders, each once."""
    named = [entry.file for entry in project.ensembles if is_file(entry.file)]
    found = sorted(_search(project.root, _DEEPEST))
    return list(dict.fromkeys([*named, *found]))


class NoEnsemble(InvalidInput):
    """A folder is neither an ensemble's nor a project's that has one."""


def default_ensemble(folder: Path) -> Path:
    """The ensemble of a project's folder: the one in it, the default one, or the only one.

    Raises:
        NoEnsemble: there is none.
    """
    if (folder / ENSEMBLE_FILE).is_file():
        return folder / ENSEMBLE_FILE
    project = find_project(folder)
    if project.root != folder.resolve():
        raise NoEnsemble(f"there is no {ENSEMBLE_FILE}", Place(str(folder)), "`ansible-ensemble init` makes one")
    if project.file is None and not (project.root / ".git").exists():
        raise NoEnsemble(f"there is no {ENSEMBLE_FILE}", Place(str(folder)), "`ansible-ensemble init` makes one")
    named = [entry.file for entry in project.ensembles if entry.default]
    ensembles = named or list_ensembles(project)
    if len(ensembles) == 1:
        return ensembles[0]
    if not ensembles:
        raise NoEnsemble("there is no ensemble", Place(str(folder)), "`ansible-ensemble init` makes one")
    names = [os.path.relpath(ensemble.parent, project.root) for ensemble in ensembles]
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    raise InvalidInput(f"the project has several ensembles: {shown}", Place(str(folder)), "name one of them")


def _entries(data: Mapping[Any, Any], file: Path) -> Iterator[EnsembleEntry]:
    ensembles = [] if data.get("ensembles") is None else data["ensembles"]
    if not isinstance(ensembles, list):
        raise InvalidInput("ensembles must be a list", place_of(data, "ensembles"))
    for index, item in enumerate(ensembles):
        if not isinstance(item, Mapping) or not isinstance(item.get("file"), str):
            raise InvalidInput("an ensemble needs a `file`", place_of(ensembles, index))
        if "project" in item:  # Unfurl's note of an ensemble in another project
            continue
        path = resolved(file.parent / item["file"])
        yield EnsembleEntry(
            file=path / ENSEMBLE_FILE if is_folder(path) else path,
            name=str(item.get("alias") or ""),
            environment=str(item.get("environment") or ""),
            default=bool(item.get("default")),
        )


def _search(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.name == ENSEMBLE_FILE and entry.is_file():
            yield Path(entry.path)
        elif depth and entry.name not in _UNSEARCHED and entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
            yield from _search(Path(entry.path), depth - 1)
