"""Migrate: what of a project that comes from elsewhere is understood, file by file, and what can be made plainer."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place, UsageError, shown_path
from ansible_ensemble.core.notices import Effect, Notice, NoticeCode, Rewrite
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.paths import resolved
from ansible_ensemble.documents.rewriting import can_rewrite, rewritten
from ansible_ensemble.ensembles.entries import find_entries, has_node_templates, is_clone, is_project_file
from ansible_ensemble.ensembles.location import is_archive
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.locking import locked
from ansible_ensemble.jobs.validate import Validated, find_faults
from ansible_ensemble.projects.project import ENSEMBLE_FILE, is_project, project_root, read_project
from ansible_ensemble.topology.remote import SCHEME

UNDERSTOOD = "understood"
REFUSED = "refused"
_OPERA = ".opera"
#: What a file can come to, from the best to the worst.
OUTCOMES = (UNDERSTOOD, Effect.TOLERATED.value, Effect.IGNORED.value, REFUSED)


_Changes = Mapping[Path, tuple[str, str]]
"""Old and new text by file."""


def migrate_project(path: str, options: JobOptions, *, write: bool = False) -> dict[str, Any]:
    """What of a project is understood, read with tolerance, ignored and refused, file by file.

    Args:
        path: the project's folder, or one file of it.
        options: those of a job.
        write: make the changes that are safe, as far as the files are the project's own; the rest tells what is found
            then.

    Returns:
        `{"path", "outcome", "files": [...], "diff", "written": [...]}`: `outcome` is the worst of its files, `diff`
        what `write` changes, and `written` the files that were. A file is `file`, `version`, `outcome`, `findings`; a
        finding `effect`, `code`, `line`, `column`, `message`, `remedy`, `rewrite`.
    """
    folder = Path(path).expanduser()
    if write and is_archive(path):
        raise UsageError(f"{path} is an archive, which is not changed", hint=f"`ansible-ensemble clone {path}` first")
    if write:
        _check_link(folder)
    found = _survey(folder, options)
    changes = {} if is_archive(path) else dict(_changes(found, folder))
    diff = "".join(_diff(file, old, new) for file, (old, new) in changes.items())
    if write and changes:
        _write(changes)
        found = _survey(folder, options)
    files = list(_files(found, {} if write else changes))
    outcome = max((file["outcome"] for file in files), key=OUTCOMES.index)
    written = [shown_path(str(file)) for file in changes] if write else []
    return {"path": path, "outcome": outcome, "files": files, "diff": diff, "written": written}


def _check_link(path: Path) -> None:
    """Refuse to write through a link of a project that leads out of it."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  (links stay as they are named)
    root = project_root(absolute.parent.resolve())
    there = resolved(absolute)
    if is_project(root) and not there.is_relative_to(root):
        hint = "name what it leads to, if that is to be changed"
        raise UsageError(f"{path} leads out of the project, to {there}", hint=hint)


def _survey(path: Path, options: JobOptions) -> list[Validated]:
    """What is found of each entry of a project but those that another one reads as a part of itself."""
    found: dict[Path, Validated] = {}
    for entry in find_entries(path) if path.is_dir() else [path]:
        if not any(_covers(one, entry) for one in found.values()):
            found[entry] = _project(entry) if is_project_file(entry) else find_faults(str(entry), options)
            found[entry].reading.notices += _state_of_opera(entry)
    return [
        one
        for entry, one in found.items()
        if not any(_covers(other, entry) for other in found.values() if other is not one)
    ]


def _covers(found: Validated, entry: Path) -> bool:
    """Whether all of an entry was read for another: who imports a file looks at its types alone."""
    versions = {file.resolve(): version for file, version in found.reading.versions.items()}
    version, file = versions.get(entry.resolve()), entry.resolve()
    if version is None:
        return False
    is_part = not version or file in {one.resolve() for one in found.reading.topologies}
    return is_part or not has_node_templates(entry)


def _project(file: Path) -> Validated:
    """What is found of a project's file, whether there is an ensemble for it or not."""
    found = Validated(str(file))
    try:
        found.reading.notices += read_project(file).notices
    except InvalidInput as error:
        found.errors = [error]
    return found


def _state_of_opera(entry: Path) -> Iterator[Notice]:
    """What is to be known of the state that opera keeps beside a service template."""
    folder = entry if entry.is_dir() else entry.parent
    if any((folder / _OPERA / "instances").glob("*")):
        message = f"what opera has deployed is not known here: nothing reads {shown_path(str(folder / _OPERA))}"
        yield Notice(NoticeCode.OPERA_STATE, message)


def _files(found: Sequence[Validated], changes: _Changes) -> Iterator[dict[str, Any]]:
    """The files that were read, with what was found of each; what has no place is of its entry's file."""
    versions: dict[str, str] = {}
    findings: dict[str, dict[Any, dict[str, Any]]] = {}
    for one in found:
        for file, version in one.reading.versions.items():
            versions.setdefault(_name(one, str(file)), version)
        for error in one.errors:
            made = _finding(one, error, REFUSED, REFUSED, error.hint)
            findings.setdefault(_name(one, error.place.file if error.place else one.file), {}).setdefault(*made)
        for notice in one.reading.notices:
            made = _finding(one, notice, notice.code.effect.value, notice.code.value, notice.remedy)
            made[1]["rewrite"] = _rewrite(notice, changes)
            findings.setdefault(_name(one, notice.place.file if notice.place else one.file), {}).setdefault(*made)
        if not (one.reading.versions or Path(one.file).is_dir()):  # else it is among them, or an archive
            versions.setdefault(_name(one, one.file), "")
    for name in sorted({*versions, *findings}):
        listed = sorted(findings.get(name, {}).values(), key=lambda finding: (finding["line"], finding["column"]))
        effects = [finding["effect"] for finding in listed if finding["effect"] in OUTCOMES]
        outcome = max(effects, key=OUTCOMES.index, default=UNDERSTOOD)
        yield {"file": name, "version": versions.get(name, ""), "outcome": outcome, "findings": listed}


def _finding(
    found: Validated, problem: InvalidInput | Notice, effect: str, code: str, remedy: str | None
) -> tuple[Any, dict[str, Any]]:
    """A finding, and what it is the same as others by."""
    message = found.show(problem.message)
    line, column = (problem.place.line, problem.place.column) if problem.place else (0, 0)
    finding = {"effect": effect, "code": code, "line": line, "column": column, "message": message}
    finding |= {"remedy": found.show(remedy) if remedy else None, "rewrite": None}
    return (line, column, message), finding


def _name(found: Validated, file: str) -> str:
    """A file as people know it; a folder that something is wrong with is the entry's file."""
    if file.startswith(SCHEME):
        return file
    if Path(file).is_dir() and not is_archive(found.file):
        file = found.file
    return shown_path(os.path.abspath(found.show(file)))  # noqa: PTH100  (links stay as they are named)


def _rewrite(notice: Notice, changes: _Changes) -> dict[str, str] | None:
    """The rewrite that changes make for a notice."""
    file = Path(notice.place.file) if notice.place else Path()
    if notice.rewrite is None or notice.place is None or file not in changes:
        return None
    if not can_rewrite(changes[file][0], notice.place, notice.rewrite):
        return None
    return {"old": notice.rewrite.old, "new": notice.rewrite.new}


def _changes(found: Sequence[Validated], path: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    """The changes of a project's own files that are safe."""
    rewrites: dict[Path, list[tuple[Place, Rewrite]]] = {}
    for notice in (notice for one in found for notice in one.reading.notices):
        if notice.rewrite is not None and notice.place is not None:
            rewrites.setdefault(Path(notice.place.file), []).append((notice.place, notice.rewrite))
    root = path.resolve() if path.is_dir() else project_root(path.resolve().parent)
    for file in (one for one in sorted(rewrites) if one.is_file() and _is_own(one.resolve(), root)):
        old = file.read_bytes().decode()
        new = rewritten(file, old, rewrites[file])
        if new != old:
            yield file, (old, new)


def _is_own(file: Path, root: Path) -> bool:
    """Whether a file is the project's: it lies below its root, and in nobody else's repository."""
    folders = [folder for folder in file.parents if folder.is_relative_to(root) and folder != root]
    return file.is_relative_to(root) and not any(is_clone(folder, root) for folder in folders)


def _diff(file: Path, old: str, new: str) -> str:
    name = shown_path(str(file))
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), name, name, n=0)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _write(changes: _Changes) -> None:
    with ExitStack() as stack:
        for file in (one for one in changes if one.name == ENSEMBLE_FILE):
            stack.enter_context(locked(file, "migrate"))
        for file, (old, new) in changes.items():
            if file.read_bytes().decode() != old:
                raise EnsembleError("the file was changed meanwhile", Place(str(file)), "migrate again")
            write_atomically(file, new)
