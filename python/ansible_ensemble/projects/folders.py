"""Working folders of an ensemble: planned, then active or failed (docs/rules.md, "Generated files").

Each has `artifacts` and `secrets`, which are committed from `active`, and `tasks`, which never is. A task renders into
`planned/<kind>/<instance>/<operation>`; when it has succeeded its folders move to `active`, else to
`failed.<changeid>`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from ansible_ensemble.core.changeid import is_change_id
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.documents.atomic import unfinished
from ansible_ensemble.documents.paths import folder_name
from ansible_ensemble.documents.private import make_private

PLANNED = "planned"
ACTIVE = "active"
COMMITTED = ("artifacts", "secrets")
#: Folders that jobs write, and nobody else.
OF_JOBS = (PLANNED, ACTIVE, "jobs", "changes")
KINDS = (*COMMITTED, "tasks")


def committed_paths(ensemble: Path) -> list[Path]:
    """What jobs write and git keeps: the ensemble's file, `jobs.tsv`, `changes`, active artifacts and secrets."""
    folder = ensemble.parent
    return [ensemble, folder / "jobs.tsv", folder / "changes", *(folder / ACTIVE / kind for kind in COMMITTED)]


def passing_paths(ensemble: Path) -> list[Path]:
    """Existing files and folders of jobs that git need not keep: the lock, logs and working folders."""
    from glob import escape

    folder, name = ensemble.parent, escape(ensemble.name)
    failed = [path for path in folder.glob("failed.*") if is_change_id(path.name.removeprefix("failed."))]
    found = [*folder.glob(f"{name}.lock*"), *unfinished(folder, name)]
    return [folder / "jobs", folder / PLANNED, folder / ACTIVE / "tasks", *failed, *found]


def remove_unfinished(ensemble: Path, *, records: bool) -> None:
    """Remove temporary files that a killed process left beside an ensemble's file; the lock must be held.

    With `records`, also those beside the records.
    """
    folder = ensemble.parent
    from glob import escape

    left = [unfinished(folder, escape(ensemble.name))]
    left += [unfinished(folder / name) for name in ("jobs", "changes", f"{ACTIVE}/artifacts") if records]
    for path in chain.from_iterable(left):
        path.unlink(missing_ok=True)


def task_folder(folder: Path, kind: str, instance: str, operation: str, *, stage: str = PLANNED) -> Path:
    """The folder of a task's files of one kind; it need not exist.

    Args:
        folder: the ensemble's folder.
        kind: one of `KINDS`.
        instance: the instance's name.
        operation: the operation's name.
        stage: `planned`, `active` or `failed.<changeid>`.
    """
    if kind not in KINDS:
        raise InvalidInput(f"{kind!r} is not a kind of working folder", hint="one of " + ", ".join(KINDS))
    return folder / stage / kind / folder_name(instance) / folder_name(operation)


def task_succeeded(folder: Path, instance: str, operation: str) -> None:
    """Move a task's folders from planned to active, in place of those of an earlier job."""
    _move(folder, instance, operation, ACTIVE)


def task_failed(folder: Path, instance: str, operation: str, change_id: str) -> None:
    """Move a task's folders from planned to `failed.<changeid>`."""
    if not is_change_id(change_id):
        raise InvalidInput(f"{change_id!r} is not a change id")
    _move(folder, instance, operation, f"failed.{change_id}")


def _move(folder: Path, instance: str, operation: str, stage: str) -> None:
    for kind in KINDS:
        source = task_folder(folder, kind, instance, operation)
        with _reported(folder / stage / kind):
            if source.is_dir():
                target = task_folder(folder, kind, instance, operation, stage=stage)
                make_private(target.parent)
                _remove(target)
                source.chmod(0o700)
                source.rename(target)


def _remove(path: Path) -> None:
    """Remove a folder; it is renamed first, so that a partly removed one is never used."""
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        aside = path.with_name(path.name + ".removed")
        shutil.rmtree(aside, ignore_errors=True)
        path.rename(aside)
        shutil.rmtree(aside)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnsembleError(f"the folder cannot be changed: {error.strerror or error}", Place(str(path))) from error
