"""Earlier specifications of an ensemble, from the history of its git repository."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ansible_ensemble.changes.job_record import JOBS
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.sensitive import LONGEST_SHOWN, may_show
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.projects.git import LITERAL, export_commit, repository_of, run_git
from ansible_ensemble.projects.git_guard import is_commit

_FOLDER = "revisions"


def specification_at(ensemble: Path, revision: str, template: Path | None = None) -> tuple[Path, Path | None]:
    """The files of an earlier commit, written out below `jobs/`, where git ignores them and they may be deleted.

    Returns:
        The ensemble's file there, and the service template there that is given in its place.
    """
    if not is_commit(revision):
        raise InvalidInput(f"{revision!r} is not a commit's id", Place(str(ensemble)))
    root = repository_of(ensemble.parent)
    if root is None:
        raise InvalidInput(
            "the ensemble is in no git repository, so its earlier versions are gone", Place(str(ensemble))
        )
    folder = ensemble.parent / JOBS / _FOLDER / revision
    if not folder.is_dir():
        _write_out(root, revision, folder)

    def there(path: Path) -> Path:
        return folder / os.path.relpath(path.parent.resolve() / path.name, root)

    return there(ensemble), there(template) if template else None


def current_folder(ensemble: Path, folder: Path) -> Path:
    """The folder of the working tree that a folder of an earlier commit represents; any other folder is itself.

    If it has gone since, the ensemble's takes its place.
    """
    revisions = ensemble.parent / JOBS / _FOLDER
    if not folder.is_relative_to(revisions):
        return folder
    root = repository_of(ensemble.parent) or ensemble.parent
    now = root.joinpath(*folder.relative_to(revisions).parts[1:])
    return now if now.is_dir() else ensemble.parent


def _write_out(root: Path, revision: str, folder: Path) -> None:
    import shutil
    import tempfile

    try:
        make_private(folder.parent)
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    except OSError as error:
        raise EnsembleError(f"cannot be made: {error.strerror}", Place(str(folder.parent))) from error
    try:
        export_commit(root, revision, aside)
        shutil.rmtree(aside / ".git")  # else its files would be those of another repository
        aside.rename(folder)  # all of it or nothing
    finally:
        shutil.rmtree(aside, ignore_errors=True)


#: Commits of a file that are looked at.
_COMMITS = 20


def earlier_text(path: Path, digest: str) -> str | None:
    """The text of a file that has a digest, or begins with it; None where no commit has it or it is not to be shown."""
    repository = repository_of(path)
    if repository is None:
        return None
    name = path.resolve().relative_to(repository).as_posix()
    code, output = run_git(repository, LITERAL, "log", f"-{_COMMITS}", "--format=%H", "--", name)[:2]
    for commit in output.split() if code == 0 else ():
        code, text = run_git(repository, "cat-file", "blob", f"{commit}:{name}")[:2]
        if code == 0 and hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest().startswith(digest):
            return text if may_show(text) else None
    return None


def current_text(path: Path) -> str | None:
    """The text of a file; None where there is none, or it is not to be shown."""
    try:
        text = path.read_bytes().decode("utf-8") if path.stat().st_size <= LONGEST_SHOWN else ""
    except (OSError, UnicodeDecodeError):
        return None
    return text if text and may_show(text) else None
