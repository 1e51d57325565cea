"""Files that an operation's implementation depends on: they lie beside its primary while it runs.

Who writes `dependencies` means that these files and the primary are in one folder, and that the operation runs there
[TOSCA 1.3, 3.6.16], wherever they are in the project. So such an operation gets a folder of its own, with copies of
them; whatever else lay beside the primary, or where it would run otherwise, is there as well, by links.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.configurators.implementation import Resolved, resolve
from ansible_ensemble.configurators.locations import find_beside
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Artifact, Operation
from ansible_ensemble.topology.tools import files_of

_FOLDER = "beside"
#: Configurators that run nothing a file could lie beside -> what to do.
_WITHOUT = {
    "terraform": "put the file into the module's folder",
    "template": "nothing runs there",
    "delegate": "name it with the operation that does the work",
}


class Beside(Struct, frozen=True):
    """An operation that runs beside its files.

    Attributes:
        operation: the operation with its primary there.
        folder: where they are.
        files: the files and folders that its host needs: its dependencies, and its primary if that is a file.
    """

    operation: Operation
    folder: Path
    files: tuple[Path, ...]


def find_dependencies(operation: Operation, root: Path) -> list[Path]:
    """The files and folders that lie beside an operation's primary."""
    implementation = operation.implementation
    wanted = files_of(operation)
    if implementation is None or not wanted:
        return []
    resolved = resolve(operation, root)
    if resolved.configurator in _WITHOUT:
        message = f"a file beside the primary of {operation.full_name} has no effect with {resolved.configurator}"
        raise InvalidInput(message, wanted[0].place or operation.place, _WITHOUT[resolved.configurator])
    primary = _primary_file(resolved)
    names = {primary.name: primary} if primary is not None else {}
    found = []
    for artifact in wanted:
        path = _find(artifact, operation, root)
        if names.setdefault(path.name, path) != path:
            message = f"two files of {operation.title} have the name {path.name}"
            raise InvalidInput(message, artifact.place or operation.place, "they are put into one folder: rename one")
        found.append(path)
    return [path for path in dict.fromkeys(found) if path != primary]


def _find(artifact: Artifact, operation: Operation, root: Path) -> Path:
    place = artifact.place or operation.place
    found = find_beside(artifact, operation, root)
    if found is None:
        message = f"the file {artifact.file} of {operation.title} does not exist"
        raise InvalidInput(message, place, "it is looked for where the primary is")
    if not any(found.is_relative_to(one.resolve()) for one in (root, artifact.base) if one is not None):
        raise InvalidInput(f"the file {artifact.file} lies outside of the project", place)
    if artifact.base is not None and artifact.base.resolve().is_relative_to(found.resolve()):
        message = f"the folder {artifact.file} contains the file that names it"
        raise InvalidInput(message, place, "name the files that are needed")
    return found


def _primary_file(resolved: Resolved) -> Path | None:
    path = Path(resolved.target)
    named = resolved.configurator not in ("command", "module", "role")
    return path if named and path.is_absolute() and path.is_file() else None


def put_beside(operation: Operation, root: Path, folder: Path) -> Beside | None:
    """Put an operation's primary and its dependencies into one folder, made anew in its own; None if it has none."""
    dependencies = find_dependencies(operation, root)
    if not dependencies:
        return None
    beside = folder / _FOLDER
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    resolved = resolve(operation, root)
    primary = _primary_file(resolved)
    files = tuple(_copy(path, beside) for path in (*dependencies, *([primary] if primary else [])))
    for path in _neighbours(operation, primary):
        if not (beside / path.name).exists():
            (beside / path.name).symlink_to(path.absolute())
    return Beside(_there(operation, resolved, primary, beside), beside, files)


def _copy(path: Path, folder: Path) -> Path:
    target = folder / path.name
    if path.is_dir():  # perhaps one that the copy is made in
        shutil.copytree(
            path, target, symlinks=True, ignore=lambda at, names: [n for n in names if Path(at, n) == folder]
        )
    else:
        shutil.copy2(path, target)
    return target


def _neighbours(operation: Operation, primary: Path | None) -> Iterator[Path]:
    for folder in (primary.parent if primary else None, operation.base):
        if folder is not None and folder.is_dir():
            yield from (path for path in folder.iterdir() if path.name != ".git")


def _there(operation: Operation, resolved: Resolved, primary: Path | None, folder: Path) -> Operation:
    """The operation as it is where its files are."""
    assert operation.implementation is not None
    implementation = replace(operation.implementation, dependencies=[])
    if primary is not None:
        file = str(folder / primary.name)
        name = f"{file}#{resolved.member}" if resolved.member else resolved.configurator
        implementation = replace(implementation, primary=file, artifact=None, class_name=name)
    return replace(operation, base=folder, implementation=implementation)
