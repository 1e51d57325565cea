"""A merge that git could not conclude: which files are in conflict, their versions, and how they are resolved."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.projects.git import LITERAL, git_output, relative_name, run_git


def conflicting_versions(root: Path, path: Path) -> tuple[str, str, str] | None:
    """The texts of a file that a merge could not unite: the common one (maybe empty), ours and theirs.

    Returns:
        None if the file has no conflict, or was removed on one side.
    """
    found = [run_git(root, "show", f":{stage}:{relative_name(root, path)}") for stage in (1, 2, 3)]
    (has_base, base, _other), (has_ours, ours, _other), (has_theirs, theirs, _other) = found
    return (base if has_base == 0 else "", ours, theirs) if has_ours == has_theirs == 0 else None


def mark_resolved(root: Path, path: Path) -> None:
    """Tell git that a file's conflict is resolved by what it holds now."""
    git_output(root, LITERAL, "add", "--", relative_name(root, path))


def unmerged_files(root: Path, folder: Path) -> list[Path]:
    """The files below a folder that a merge could not unite."""
    arguments = ("diff", "--name-only", "--diff-filter=U", "-z", "--", relative_name(root, folder))
    return [root.resolve() / name for name in git_output(root, LITERAL, *arguments).split("\0") if name]


def take_side(root: Path, path: Path, *, theirs: bool) -> None:
    """Resolve a file's conflict by one side's version, which may be that it is gone."""
    name = relative_name(root, path)
    has_it = run_git(root, "cat-file", "-e", f":{3 if theirs else 2}:{name}")[0] == 0
    if has_it:
        git_output(root, LITERAL, "checkout", "--theirs" if theirs else "--ours", "--", name)
    git_output(root, LITERAL, *(("add",) if has_it else ("rm", "--quiet", "--force")), "--", name)
