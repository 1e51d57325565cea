"""Git around a job: checks before it, its starting commit, and the commit of its changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from ansible_ensemble.core.errors import EnsembleError, shown_path
from ansible_ensemble.engine.journal_entries import StartingPoint
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.projects.folders import ACTIVE, committed_paths, passing_paths
from ansible_ensemble.projects.git import (
    check_clean,
    check_upstream,
    commit,
    dirty_files,
    ignored_files,
    push,
    repository_of,
    skips_upstream_check,
)
from ansible_ensemble.projects.git_claim import free_claimed
from ansible_ensemble.projects.pins import SELF, check_pins, pins
from ansible_ensemble.projects.project import ENSEMBLE_FILE, find_project
from ansible_ensemble.projects.trust import grant, is_trusted
from ansible_ensemble.projects.vault import protect

_PACKAGE = Path(__file__).resolve().parent.parent
_SECRETS = "secrets"


class Kept(Struct):
    """The result of committing a job.

    Attributes:
        commits: by repository, the commit that was made.
        problems: messages of errors.
        notes: messages about files that were left out on purpose.
    """

    commits: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def repositories_of(ensemble: Ensemble) -> dict[str, Path]:
    """The working trees that an ensemble is made from, by name; the one that it is in is `self`.

    These are its own and those of its service template and imports. Its project's is its own, or git ignores it there.
    """
    found: dict[str, Path] = {}
    trusted = is_trusted(ensemble.path)
    folders = [ensemble.folder, *(file.parent for file in ensemble.topology.files)]
    for folder in dict.fromkeys(folders):
        root = None if folder.is_relative_to(_PACKAGE) else repository_of(folder)
        if root is None or root in found.values():
            continue
        own = folder == ensemble.folder
        name = SELF if own else root.name if root.name not in found else f"{root.name}-{len(found)}"
        found[name] = root
        if trusted:
            grant(root)  # trusting a project includes the repositories that it names
    return found


def free_repositories(ensemble: Ensemble) -> list[str]:
    """Remove the locks that git left in an ensemble's repositories when a job was killed; a line for each."""
    freed = [lock for root in repositories_of(ensemble).values() for lock in free_claimed(root)]
    return [f"Removed {shown_path(str(lock))}, left by the git process of a killed job." for lock in freed]


def check_upstreams(ensemble: Ensemble, options: JobOptions) -> None:
    """Refuse a job on a branch that is behind its upstream (docs/rules.md, "Locking").

    With a remote state nothing is checked: a clone may be shallow, and its origin unreachable.
    """
    if ensemble.environment.state is None and not (options.skip_upstream_check or skips_upstream_check()):
        for root in repositories_of(ensemble).values():
            check_upstream(root)


def check_working_trees(ensemble: Ensemble, options: JobOptions) -> None:
    """Refuse a job on a working tree that is dirty or differs from the pinned commits, as the options say."""
    repositories = repositories_of(ensemble)
    # what an earlier job left there, or this one has written already, is no change of a person's
    written = _within(repositories.get(SELF), [*committed_paths(ensemble.path), *passing_paths(ensemble.path)])
    for name, root in repositories.items():
        if not options.check:
            own = [*_inside(root, repositories), *(written if name == SELF else [])]
            check_clean(
                root,
                options.dirty,
                commit=options.commits,
                ignore=own,
                counts=partial(_is_no_record_of_another, ensemble=ensemble, root=root),
            )
    if options.locked:
        section = ensemble.document.data.get("lock") if ensemble.document else None
        check_pins(section, repositories, written, ensemble.path, ensemble.topology.fetched)


def starting_point(ensemble: Ensemble, options: JobOptions) -> StartingPoint:
    """What a job starts from, for its journal."""
    try:
        repositories = repositories_of(ensemble)
        imports = ensemble.topology.fetched
        if not repositories and not imports:
            return StartingPoint()
        section = pins(repositories, imports)
        dirty = {}
        if options.commits:
            dirty = {name: dirty_files(root, _inside(root, repositories)) for name, root in repositories.items()}
    except EnsembleError:
        if options.commits or options.locked:
            raise
        return StartingPoint()  # nothing was asked of git
    commits = {entry["name"]: entry["commit"] for entry in section["repositories"]}
    return StartingPoint(lock=section, commit=commits.get(SELF, ""), dirty=dirty)


def keep_in_git(ensemble: Ensemble, start: StartingPoint, options: JobOptions, message: str) -> Kept:
    """Commit what a recorded job changed, and push it if asked to; errors are reported and change no file.

    Of the ensemble's repository its records are committed; of every repository, files of git's that were clean before
    the job and are not now. New files outside of the records are not committed. The message is for options without one.
    """
    kept = Kept()
    pinned = (start.lock or {}).get("repositories", ())
    bases = {entry["name"]: entry["commit"] for entry in pinned}
    try:
        secret, clear, included = _protected(ensemble)
    except EnsembleError as error:
        kept.problems.append(f"nothing was committed because secrets cannot be encrypted: {error}")
        return kept
    for name, root in repositories_of(ensemble).items():
        before = set((start.dirty or {}).get(name, ()))
        try:
            records = _within(root, [*committed_paths(ensemble.path), *secret])
            passing = _within(root, passing_paths(ensemble.path))
            known = set(dirty_files(root, untracked=False)) - before
            changed = {root / file: file for file in dirty_files(root, passing)}
            changed = {path: file for path, file in changed.items() if _is_no_record_of_another(path, ensemble, root)}
            recorded = {path for path in changed if any(path.is_relative_to(record) for record in records)}
            paths = [path for path, file in changed.items() if path in recorded - clear or file in known]
            made = commit(root, paths, options.message or message, base=bases.get(name) or None)
            if made:
                kept.commits[name] = made
            if made and options.push:
                push(root)
            unsafe = recorded & clear
            _note(kept, "there is no vault password to encrypt them with", sorted(unsafe - included))
            _note(kept, "another file includes them as they are; have git ignore them", sorted(unsafe & included))
            new = [path for path, file in changed.items() if path not in recorded and file not in known | before]
            _note(kept, "these are new; `git add` those to be kept", new)
            untold = {root / file for file in dirty_files(root)} - changed.keys()
            left = [path for path in passing if any(path in (file, *file.parents) for file in untold)]
            left = [path for path in left if not path.name.startswith(f"{ensemble.path.name}.lock")]
            _note(kept, "they are machine-local; add them to .gitignore", left)
        except EnsembleError as error:
            kept.problems.append(str(error))
    return kept


def _is_no_record_of_another(path: Path, ensemble: Ensemble, root: Path) -> bool:
    """Whether a file is no record of another ensemble in the repository, as the jobs of that one commit it."""
    for folder in path.parents:
        other = folder / ENSEMBLE_FILE
        if folder != _resolved(ensemble.path).parent and other.is_file():
            records = (*committed_paths(other), *passing_paths(other))
            if any(path.is_relative_to(record) for record in records):
                return False
        if folder == root:
            break
    return True


def _note(kept: Kept, reason: str, paths: list[Path]) -> None:
    if paths:
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        kept.notes.append(f"Not committed: {', '.join(shown_path(str(path)) for path in paths[:3])}{more}: {reason}.")


def _protected(ensemble: Ensemble) -> tuple[list[Path], set[Path], set[Path]]:
    """Encrypt what must not be committed in clear.

    What git ignores is not committed, and what another file includes could not be read again: both stay as they are.

    Returns:
        The folders of secrets, the files still in clear, and the files that another one includes.
    """
    included = {_resolved(path) for path in (*find_project(ensemble.path).included, *ensemble.topology.files)}
    vault = ensemble.environment.vault
    folders = [folder / _SECRETS for folder in dict.fromkeys((ensemble.folder, ensemble.root))]
    clear: list[Path] = []
    for folder in filter(Path.is_dir, folders):
        root = repository_of(folder)
        if root is not None:
            files = [path for path in folder.rglob("*") if path.is_file()]
            leave = {*ignored_files(root, files), *(path for path in files if _resolved(path) in included)}
            clear += protect(folder, vault, leave)
    made = ensemble.folder / ACTIVE / _SECRETS
    if made.is_dir():
        clear += protect(made, vault)
    return [made, *folders], {_resolved(path) for path in clear}, included


def _inside(root: Path, repositories: Mapping[str, Path]) -> list[Path]:
    """Other working trees within one, such as submodules."""
    return [other for other in repositories.values() if other != root and other.is_relative_to(root)]


def _within(root: Path | None, paths: list[Path]) -> list[Path]:
    return [] if root is None else [path for path in map(_resolved, paths) if path.is_relative_to(root)]


def _resolved(path: Path) -> Path:
    return path.parent.resolve() / path.name
