"""What a file held when an operation read it: from the history of its git repository, by its digest."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import is_secret_name
from ansible_ensemble.projects.git import LITERAL, repository_of, run_git

#: Commits of a file that are looked at, and bytes of one that is shown.
_COMMITS = 20
_LONGEST = 50_000
_KEY = regex(r"^[\s\-\"'{]*([\w.-]+)[\"']?\s*[:=]", re.MULTILINE)


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
        text = path.read_bytes().decode("utf-8") if path.stat().st_size <= _LONGEST else ""
    except (OSError, UnicodeDecodeError):
        return None
    return text if text and may_show(text) else None


def may_show(text: str) -> bool:
    """Whether a text has no secret that one can see: it is not encrypted, not binary, and gives no secret a value."""
    if len(text) > _LONGEST or "\0" in text or "$ANSIBLE_VAULT;" in text or "PRIVATE KEY-----" in text:
        return False
    return not any(is_secret_name(key) for key in _KEY.findall(text))
