"""Where an operation's files, roles, modules and collections lie, found by a look at folders alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ansible_ensemble.core.ansible_settings import may_be_set, setting
from ansible_ensemble.core.regex import regex
from ansible_ensemble.language.entities import Artifact, Operation

#: What Ansible itself brings: a collection without roles.
BUILTIN = "ansible.builtin."

_FQCN = regex(r"[a-zA-Z_]\w*(\.[a-zA-Z_]\w*){2,}")
_ROLE_NAME = regex(r"[\w-]+([./][\w-]+)*")
_LONGEST_NAME = 255  #: of a file
_TERRAFORM = ("*.tf", "*.tf.json")

#: Where Ansible looks for roles, collections and modules by default.
_ROLES_PATH = ("~/.ansible/roles", "/usr/share/ansible/roles", "/etc/ansible/roles")
_COLLECTIONS_PATH = ("~/.ansible/collections", "/usr/share/ansible/collections")
#: What says where collections and modules are.
_SETTINGS = ("ANSIBLE_COLLECTIONS_PATH", "ANSIBLE_LIBRARY", "ANSIBLE_HOME", "ANSIBLE_CONFIG", "HOME")
_MODULE_PATH = ("~/.ansible/plugins/modules", "/usr/share/ansible/plugins/modules")


def is_fqcn(name: str) -> bool:
    """Whether a name has the form of a module's or role's in a collection."""
    return _FQCN.fullmatch(name) is not None


def find_file(primary: str, operation: Operation, root: Path) -> Path | None:
    """The file that an implementation names."""
    return _find(primary, operation, root, Path.is_file)


def find_beside(artifact: Artifact, operation: Operation, root: Path) -> Path | None:
    """The file or folder that an implementation depends on."""
    return _find(artifact.file, operation, root, Path.exists, artifact.base)


def find_module(primary: str, operation: Operation, root: Path) -> Path | None:
    """The folder of a Terraform module: one with files of its language."""

    def is_module(path: Path) -> bool:
        return path.is_dir() and any(file for pattern in _TERRAFORM for file in path.glob(pattern))

    return _find(primary, operation, root, is_module)


def _find(
    primary: str, operation: Operation, root: Path, fits: Callable[[Path], bool], first: Path | None = None
) -> Path | None:
    for path in _candidates(primary, operation, root, first):
        try:
            if fits(path):
                return path.resolve()
        except (OSError, ValueError):  # a command longer than a file name may be, or with a null in it
            return None
    return None


def _candidates(primary: str, operation: Operation, root: Path, first: Path | None = None) -> Iterator[Path]:
    """What a path may mean: from the declaring file's folder, or the project's; `/` may be an archive's root too."""
    artifact = operation.implementation.artifact if operation.implementation else None
    own = artifact.base if artifact and first is None else first
    bases = [base for base in (own, operation.base, root) if base is not None]
    if primary.startswith("/"):
        within = [folder for base in bases for folder in (base, *base.parents) if folder.is_relative_to(root)]
        bases = list(dict.fromkeys([*within, root]))
        yield from (base / primary.lstrip("/") for base in bases)
        yield Path(primary)
        return
    yield from (base / primary for base in bases)


def find_role(name: str, operation: Operation, root: Path) -> str | None:
    """The role's absolute path, or its FQCN for a collection's role."""
    if name.startswith(BUILTIN):
        return None
    if is_fqcn(name):
        namespace, collection, role = name.split(".", 2)
        for folder in collection_folders(root):
            if (folder / namespace / collection / "roles" / role).is_dir():
                return name
        return None
    name = name.lstrip("/")
    if len(name) > _LONGEST_NAME or not _ROLE_NAME.fullmatch(name):
        return None
    for base in (operation.base, root):
        if base is not None and (base / "roles" / name).is_dir():
            return str((base / "roles" / name).resolve())
        if base is not None and "/" in name and (base / name / "tasks").is_dir():
            return str((base / name).resolve())
    for folder in _roles_path():
        path = folder / name
        if path.is_dir():
            return str(path)
    return None


def role_names(operation: Operation, root: Path) -> set[str]:
    """Names of the roles that an operation may name."""
    folders = [base / "roles" for base in (operation.base, root) if base is not None]
    return {path.name for folder in (*folders, *_roles_path()) for path in _listed(folder) if path.is_dir()}


def file_names(operation: Operation, root: Path) -> set[str]:
    """Names of the files beside the one that declares an operation, and of those in the project's folder."""
    return {path.name for base in (operation.base, root) if base is not None for path in _listed(base)}


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _roles_path() -> Iterator[Path]:
    if may_be_set("roles_path", ("ANSIBLE_ROLES_PATH", "ANSIBLE_HOME")):
        yield from map(Path, setting("DEFAULT_ROLES_PATH"))
    else:
        yield from (Path(folder).expanduser() for folder in _ROLES_PATH)


def collection_folders(root: Path) -> tuple[Path, ...]:
    """Folders that hold collections by namespace, in the order in which Ansible searches them."""
    return _collection_folders(root, tuple(sys.path), _search_settings())


def _search_settings() -> tuple[str | None, ...]:
    """What says where Ansible searches: its settings may be in the working directory, or environment variables."""
    try:
        here = os.getcwd()  # noqa: PTH109  (each operation asks)
    except OSError:
        here = ""
    return here, *map(os.environ.get, _SETTINGS)


@lru_cache(maxsize=16)
def _collection_folders(root: Path, path: tuple[str, ...], _settings: tuple[str | None, ...]) -> tuple[Path, ...]:
    configured = _COLLECTIONS_PATH
    if may_be_set("collections_path", ("ANSIBLE_COLLECTIONS_PATH", "ANSIBLE_HOME")):
        configured = setting("COLLECTIONS_PATHS")
    folders = (Path(folder).expanduser() / "ansible_collections" for folder in (*configured, *path))
    return root / "collections" / "ansible_collections", *folders


def find_ansible_module(name: str, operation: Operation, root: Path) -> str | None:
    """A module by its short name: one of a folder `library`, by that name, or else one of Ansible's, by its FQCN."""
    if name.isidentifier() and is_in_library(name, operation, root):
        return name
    return BUILTIN + name if name in builtin_modules() else None


def is_in_library(name: str, operation: Operation, root: Path) -> bool:
    """Whether a module is in a folder `library`, of the operation or the project, or where Ansible's settings say.

    It may have any suffix, or none.
    """
    return any(_has_module(folder, name) for folder in library_folders(operation, root))


def _has_module(folder: Path, name: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.partition(".")[0] == name and entry.is_file() for entry in entries)
    except OSError:
        return False


def library_folders(operation: Operation, root: Path) -> list[Path]:
    """Folders that hold modules by their short names."""
    own = [base / "library" for base in (operation.base, root) if base is not None]
    return [*own, *_library(_search_settings())]


@lru_cache(maxsize=16)
def _library(_settings: tuple[str | None, ...]) -> tuple[Path, ...]:
    if may_be_set("library", ("ANSIBLE_LIBRARY", "ANSIBLE_HOME")):
        return tuple(map(Path, setting("DEFAULT_MODULE_PATH")))
    return tuple(Path(folder).expanduser() for folder in _MODULE_PATH)


@lru_cache(maxsize=1)
def builtin_modules() -> frozenset[str]:
    """Names of the modules that Ansible itself brings."""
    files = (file for home in ansible_homes() for file in _listed(home / "modules"))
    return frozenset(file.stem for file in files if file.suffix == ".py" and not file.stem.startswith("_"))


@lru_cache(maxsize=1)
def ansible_homes() -> tuple[Path, ...]:
    """Folders of the package `ansible`, which is not imported."""
    spec = find_spec("ansible")
    return tuple(Path(folder) for folder in (spec.submodule_search_locations or ())) if spec is not None else ()
