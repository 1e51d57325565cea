"""What of an ensemble git keeps, and how it merges it (docs/rules.md, "Generated files")."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.documents.atomic import write_atomically

GITIGNORE = ".gitignore"
#: Lines of a project's `.gitignore`.
IGNORED = (
    "# written by jobs; safe to delete when no job runs",
    "jobs/",
    "planned/",
    "failed.*/",
    "active/tasks/",
    "*.removed/",
    "*.journal",
    "*.lock",
    "*.lock.*.tmp",
    "*.lock.lfs",
    "*.lock.state",
    "*.lock.fetch",
    "# never in git: keys and machine-local files",
    "*.key",
    "*.vault-password",
    "local/",
    ".ansible/",
    "__pycache__/",
)

#: Lines of a project's `.gitattributes`.
ATTRIBUTES = (
    "# lines of both sides, in any order",
    "jobs.tsv merge=union",
    "# whole documents: `ansible-ensemble recover` merges what both sides changed",
    "**/active/artifacts/templates.json -merge",
    "# written by `ansible-ensemble schema --write`",
    ".schemas/*.json -diff",
    "# encrypted by Ansible Vault: not diffed or merged line by line",
    "secrets/** -text -diff",
)


def ignore_local_files(folder: Path) -> bool:
    """Have git ignore what is of this machine alone; True if the folder's `.gitignore` was changed."""
    return ensure_lines(folder / GITIGNORE, IGNORED)


def ensure_lines(path: Path, lines: tuple[str, ...]) -> bool:
    """Append those lines to a file that it lacks; True if it was changed."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    present = {line.strip() for line in text.splitlines()}
    missing = [line for line in lines if line not in present]
    if not any(not line.startswith("#") for line in missing):
        return False
    if text and not text.endswith("\n"):
        text += "\n"
    write_atomically(path, text + "\n".join(missing) + "\n")
    return True
