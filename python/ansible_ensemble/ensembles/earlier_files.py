"""What a file held when an operation read it: from the history of its git repository, by its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ansible_ensemble.core.sensitive import LONGEST_SHOWN, may_show
from ansible_ensemble.projects.git import LITERAL, repository_of, run_git

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
