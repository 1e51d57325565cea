"""Git repositories: what is dirty, committing records, pushing, and whether the upstream has new commits."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.texts import with_shown_urls, without_credentials
from ansible_ensemble.projects import git_guard
from ansible_ensemble.projects.git_claim import claimed
from ansible_ensemble.projects.trust import is_trusted

_LOG = logging.getLogger(__name__)

_BUSY = regex(r"(index|HEAD|config|refs/\S+)\.lock'?: File exists|Unable to create .*\.lock")
_BUSY_TRIES = 25
_BUSY_PAUSE = 0.2
#: git must not ask a person, and must not open an editor
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}
#: git must not take a file's name for a pattern
LITERAL = "--literal-pathspecs"
_STATUS = ("status", "--porcelain=v1", "-z")


class Upstream(Struct, frozen=True):
    """The relation of a branch to its upstream.

    Attributes:
        name: of the branch it follows, e.g. `origin/main`.
        ahead, behind: commits that only the one or the other has.
    """

    name: str
    ahead: int
    behind: int


def repository_of(path: Path) -> Path | None:
    """The root of the working tree that holds the path; None if there is none, or if git ignores the path."""
    resolved = path.resolve()
    for folder in (resolved, *resolved.parents):
        if (folder / ".git").exists():
            ignored = folder != resolved and run_git(folder, "check-ignore", "--quiet", str(resolved))[0] == 0
            return None if ignored else folder
    return None


def init_repository(folder: Path) -> None:
    """Make the folder a git repository if it is none."""
    git_output(folder, "init", "--quiet")


def clone_repository(url: str, folder: Path) -> None:
    """Clone a repository into a new folder."""
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput("the folder is not empty", Place(str(folder)))
    fault = git_guard.clone_fault(url)
    if fault is not None:
        raise InvalidInput(f"{with_shown_urls(url)!r} is no URL to clone from: {fault}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    git_output(folder.parent, "clone", "--quiet", "--", url, str(folder))


def head(root: Path) -> str:
    """The commit the working tree is on; empty if there is none yet."""
    return _answer(root, "rev-parse", "--verify", "--quiet", "HEAD")


def dirty_files(root: Path, ignore: Iterable[Path] = (), *, untracked: bool = True) -> list[str]:
    """Files that differ from the commit or are in no commit, relative to the root.

    Args:
        root: the working tree.
        ignore: files and folders that do not count, because the job writes them itself.
        untracked: whether files that git does not have count.
    """
    ignored = [relative_name(root, path) for path in ignore]
    others = "all" if untracked else "no"
    output = git_output(root, *_STATUS, f"--untracked-files={others}", "--no-renames")
    files = [entry[3:] for entry in output.split("\0") if entry]
    return [file for file in files if not any(file == path or file.startswith(path + "/") for path in ignored)]


def ignored_files(root: Path, paths: Iterable[Path]) -> list[Path]:
    """The untracked ones of these files and folders that git ignores."""
    names = {relative_name(root, path): path for path in paths}
    if not names:
        return []
    status, out, error = run_git(root, "-c", "core.quotePath=false", "check-ignore", "--", *names)
    if status > 1:
        raise _error(root, error)
    return [names[name] for name in out.split("\n") if name in names]


def ignored_below(root: Path, folder: Path) -> list[Path]:
    """Untracked files and folders below a folder of a working tree that git ignores."""
    listed = git_output(
        root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", str(folder)
    )
    return [root / name for name in listed.split("\0") if name]


def check_clean(
    root: Path,
    dirty: str,
    *,
    commit: bool,
    ignore: Iterable[Path] = (),
    counts: Callable[[Path], bool] = lambda _path: True,
) -> None:
    """Refuse to work on a dirty working tree: `ok` never, `abort` always, `auto` if the job commits.

    Files to `ignore`, and those for which `counts` is false, do not make it dirty.
    """
    if dirty == "ok" or (dirty == "auto" and not commit):
        return
    files = [file for file in dirty_files(root, ignore) if counts(root / file)]
    if files:
        shown = ", ".join(files[:5]) + (f" and {len(files) - 5} more" if len(files) > 5 else "")
        raise EnsembleError(
            f"the repository has uncommitted changes: {shown}",
            Place(str(root)),
            hint="commit them, or continue with --dirty ok",
        )


def commit(root: Path, paths: Iterable[Path], message: str, *, base: str | None = None) -> str | None:
    """Commit these files and folders, and nothing else of what is staged or changed; None if nothing changed.

    What git ignores, and what neither exists nor was tracked, is left out. Commits made since the `base` that the work
    started from are built upon, unless they change one of the files. Whatever goes wrong, the files are as they were.
    """
    files = _committable(root, paths)
    if not files:
        return None
    if base:
        _check_concurrent(root, files, base)
    with claimed(root):
        git_output(root, LITERAL, "add", "--all", "--", *files)
        if not git_output(root, LITERAL, *_STATUS, "--untracked-files=no", "--ignore-submodules=dirty", "--", *files):
            return None
        git_output(root, LITERAL, *_identity(root), "commit", "--quiet", "--only", "-m", message, "--", *files)
    return head(root)


def push(root: Path) -> None:
    """Push the branch to the one it follows; a branch that follows none to `origin`, which it follows from then on."""
    arguments = ("push", "--quiet") if _follows(root) else ("push", "--quiet", "--set-upstream", "origin", "HEAD")
    try:
        with claimed(root):
            git_output(root, *arguments)
    except EnsembleError as error:
        error.hint = "the commit is made; `git pull` merges the records of both sides, then `git push`"
        raise


def upstream(root: Path) -> Upstream | None:
    """The relation of the branch to its upstream, which is fetched; None without one."""
    name = _follows(root)
    if not name:
        return None
    with claimed(root):
        git_output(root, "fetch", "--quiet")
    ahead, behind = git_output(root, "rev-list", "--left-right", "--count", "HEAD...@{upstream}").split()
    return Upstream(name, int(ahead), int(behind))


def check_upstream(root: Path) -> None:
    """Refuse to work on a branch that is behind its upstream (docs/rules.md, "Locking")."""
    hint = "or continue with --skip-upstream-check"
    try:
        state = upstream(root)
    except EnsembleError as error:
        error.hint = f"it is not known whether the repository is up to date; try again, {hint}"
        raise
    if state and state.behind:
        what = "has diverged from" if state.ahead else "is behind"
        lacks = "1 commit" if state.behind == 1 else f"{state.behind} commits"
        raise EnsembleError(
            f"the repository {what} {state.name}: it lacks {lacks}",
            Place(str(root)),
            hint=f"`git pull` first, {hint}",
        )


def skips_upstream_check() -> bool:
    """Whether the environment disables the upstream check."""
    names = ("ANSIBLE_ENSEMBLE_SKIP_UPSTREAM_CHECK", "UNFURL_SKIP_UPSTREAM_CHECK")
    return any(os.environ.get(name, "").lower() not in ("", "0", "no", "false") for name in names)


def branch(root: Path) -> str:
    """The name of the branch; empty on none."""
    return _answer(root, "symbolic-ref", "--short", "--quiet", "HEAD")


def remote_url(root: Path) -> str:
    """The URL of `origin` without user and password; empty if there is none."""
    return without_credentials(_answer(root, "remote", "get-url", "origin"))


def first_commit(root: Path) -> str:
    """The oldest commit, which is the same in all clones; empty if there is none."""
    return _answer(root, "rev-list", "--max-parents=0", "HEAD").rpartition("\n")[2]


def changed_since(root: Path, commit: str) -> list[str] | None:
    """Files that differ between a commit and HEAD; None if it is unknown here."""
    if not git_guard.is_commit(commit):
        return None
    status, out, _error = run_git(
        root, "diff", "--name-only", "--no-renames", "-z", f"{commit}^{{commit}}", "HEAD", "--"
    )
    return [file for file in out.split("\0") if file] if status == 0 else None


def commit_that_added(root: Path, path: Path) -> str:
    """The commit that a file first came with; empty if it is in none."""
    name = relative_name(root, path)
    return _answer(root, LITERAL, "log", "--diff-filter=A", "--format=%H", "--", name).rpartition("\n")[2]


def last_changed(root: Path, path: Path) -> str:
    """When the commit was made that changed a file last: `2026-11-29 10:05:13+00:00`; empty if there is none."""
    when = _answer(root, LITERAL, "log", "-1", "--format=%cI", "--", relative_name(root, path))
    return when.replace("T", " ").replace("Z", "+00:00")


def export_commit(root: Path, revision: str, into: Path) -> None:
    """Write the files of a commit into a new folder, as a clone that shares the objects."""
    status, out, _error = run_git(
        root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if status != 0:
        hint = "`git fetch` may bring it"
        raise InvalidInput(f"there is no commit {revision!r} in the repository", Place(str(root)), hint)
    git_output(root, "clone", "--quiet", "--shared", "--no-checkout", "--", str(root), str(into))
    git_output(into, "checkout", "--quiet", "--detach", out.strip())


def run_git(root: Path, *arguments: str, settings: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run git in a folder; it does not prompt and opens no editor.

    Settings are passed in the environment, as the list of processes shows arguments.

    Returns:
        Exit code, output, error output.
    """
    try:
        from git import Git
        from git.exc import GitCommandNotFound
    except ImportError as error:
        raise EnsembleError(f"git cannot be used: {error}", hint="install git, and `pip install GitPython`") from error
    begun = time.monotonic()
    trusted = is_trusted(root)
    try:
        status, out, error_text = Git(str(root)).execute(
            ["git", *(arguments if trusted else git_guard.above_submodules(arguments))],
            with_extended_output=True,
            with_exceptions=False,
            strip_newline_in_stdout=False,
            env=_guarded(root, arguments[0], settings or {}, trusted=trusted),
        )
    except GitCommandNotFound as error:
        raise EnsembleError(f"git cannot be run in {root}", hint="is git installed, and the folder there?") from error
    # settings may stand before it, and behind it a URL with a password
    verb = next(word for word in arguments if not word.startswith("-") and "=" not in word)
    _LOG.debug("git %s in %s: exit code %d after %.3f s", verb, root, status, time.monotonic() - begun)
    return int(status), str(out), str(error_text)


def _guarded(root: Path, command: str, settings: Mapping[str, str], *, trusted: bool) -> dict[str, str]:
    """The environment of git, which runs nothing that an untrusted repository names."""
    if command == "clone":
        protocols = os.environ.get("GIT_ALLOW_PROTOCOL", ":".join(git_guard.PROTOCOLS))
        return {**git_environment(settings), "GIT_ALLOW_PROTOCOL": protocols}
    if trusted:
        return git_environment(settings)
    return {**git_environment({**settings, **_neutral(root)}), **git_guard.ALONE}


@cache
def _neutral(root: Path) -> dict[str, str]:
    import subprocess

    try:
        listed = subprocess.run(["git", *git_guard.LIST], cwd=root, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        hint = f"`ansible-ensemble trust {root}` allows git to use the settings there"
        raise EnsembleError(
            "the git settings of a repository that is not trusted cannot be read", Place(str(root)), hint
        ) from error
    return git_guard.neutral_settings(listed.stdout.decode("utf-8", "surrogateescape"))


def git_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """What git needs in its environment not to prompt, and settings, after existing ones."""
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    variables: dict[str, str] = {}
    for index, (key, value) in enumerate(settings.items(), start=count):
        variables |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return _ENVIRONMENT | ({**variables, "GIT_CONFIG_COUNT": str(count + len(settings))} if settings else {})


def relative_name(root: Path, path: Path) -> str:
    """The path from the root; a link at its end is not followed, those in its folders are."""
    return os.path.relpath(path.parent.resolve() / path.name, root.resolve())


def _follows(root: Path) -> str:
    return _answer(root, "rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}")


def _answer(root: Path, *arguments: str) -> str:
    """The stripped output of git; empty if it fails."""
    status, out, _error = run_git(root, *arguments)
    return out.strip() if status == 0 else ""


def _committable(root: Path, paths: Iterable[Path]) -> list[str]:
    names = sorted({relative_name(root, path) for path in paths})
    outside = [name for name in names if name.startswith("..")]
    if outside:
        raise EnsembleError(f"{outside[0]} is outside of the repository", Place(str(root)))
    known = [name for name in names if (root / name).exists() or git_output(root, LITERAL, "ls-files", "--", name)]
    unwanted = set(ignored_files(root, [root / name for name in known]))
    return [name for name in known if root / name not in unwanted]


def _check_concurrent(root: Path, files: list[str], base: str) -> None:
    if head(root) == base or not git_guard.is_commit(base):
        return
    status, out, _error = run_git(root, LITERAL, "diff", "--name-only", "--no-renames", base, "HEAD", "--", *files)
    # lines are only ever appended to jobs.tsv, so that both sides' lines are in the file
    both = [file for file in out.split("\n") if file and not file.endswith("jobs.tsv")]
    if status == 0 and both:
        raise EnsembleError(
            f"somebody else committed a change of {both[0]} while the job ran; the job's records are not committed",
            Place(str(root)),
            hint=f"compare with `git diff HEAD -- {both[0]}`, then commit what is right",
        )


def _identity(root: Path) -> list[str]:
    """An identity for the commit if git has none configured, as in a container."""
    status, _output, _error = run_git(root, "var", "GIT_COMMITTER_IDENT")
    configured, _output, _error = run_git(root, "config", "user.email")
    if status == 0 and (configured == 0 or os.environ.get("GIT_COMMITTER_EMAIL") or os.environ.get("EMAIL")):
        return []
    return ["-c", "user.name=ansible-ensemble", "-c", "user.email=ansible-ensemble@localhost"]


def git_output(root: Path, *arguments: str) -> str:
    """Run git, and again while another git locks the repository; returns its output."""
    for attempt in range(_BUSY_TRIES):
        status, out, error = run_git(root, *arguments)
        if status == 0:
            return out
        if not _BUSY.search(error) or attempt == _BUSY_TRIES - 1:
            break
        time.sleep(_BUSY_PAUSE)
    raise _error(root, error or out)


def _error(root: Path, text: str) -> EnsembleError:
    return EnsembleError(f"git failed: {with_shown_urls(text.strip())}", Place(str(root)))
