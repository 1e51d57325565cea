"""The claim of a repository: tells which of its locks were left by a killed git of ours.

git locks what it changes by a file beside it (`index.lock`), and a git that is killed leaves the file: nobody can
commit any more. Whose it is, the file does not say. So a job claims a repository while its git may lock something, and
the next one removes a lock only if all of this holds:

- there is a claim whose process is gone from this host,
- the lock was made since the claim, by the user who removes it,
- no git works in the repository. A git of another container or host cannot be seen: it has the claim's time to be
  taken for ours. Where no process can be seen (no /proc), no lock is removed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.shape import read_json
from ansible_ensemble.projects.process import Presence, Process, describe_process, presence

_CLAIM = "ansible-ensemble-{pid}.claim"
_PROCESSES = Path("/proc")


@contextmanager
def claimed(root: Path) -> Iterator[None]:
    """Claim a working tree's repository while the block runs git in it.

    A claim that cannot be written is skipped: git reports what is wrong with the repository.
    """
    file = _folders(root)[0] / _CLAIM.format(pid=os.getpid())
    with suppress(OSError):
        file.write_text(json.dumps(describe_process(os.getpid()).to_json()) + "\n", encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def free_claimed(root: Path) -> list[Path]:
    """Remove the git locks that killed jobs left in a working tree's repository, and return them."""
    freed: list[Path] = []
    folders = _folders(root)
    for claim in folders[0].glob(_CLAIM.format(pid="*")):
        if not _is_stale(claim):
            continue
        locks = [lock for lock in _locks(folders) if _is_since(lock, claim)]
        if locks and _git_works(root, folders):
            continue
        with suppress(OSError):
            for lock in locks:
                lock.unlink(missing_ok=True)
                freed.append(lock)
            claim.unlink(missing_ok=True)
    return freed


def _folders(root: Path) -> list[Path]:
    """Where the repository of a working tree is: its own folder, then that which it shares with others, if any."""
    folder = root / ".git"
    with suppress(OSError):
        if folder.is_file():
            folder = root / folder.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
        return [folder, (folder / (folder / "commondir").read_text(encoding="utf-8").strip()).resolve()]
    return [folder]


def _locks(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from folder.glob("*.lock")
        yield from (folder / "refs").rglob("*.lock")


def _is_stale(claim: Path) -> bool:
    try:
        process = Process.from_json(read_json(claim, {"Pid": int}, ""))
    except (OSError, InvalidInput):
        return False
    return presence(process) is Presence.GONE


def _is_since(lock: Path, claim: Path) -> bool:
    try:
        made = lock.stat()
        return made.st_mtime_ns >= claim.stat().st_mtime_ns and made.st_uid == os.getuid()
    except OSError:
        return False


def _git_works(root: Path, folders: list[Path]) -> bool:
    """Whether git runs in the repository, or may do so unseen."""
    if not (_PROCESSES / "self").exists():
        return True
    places = [folder.resolve() for folder in (root, *folders)]
    for entry in _PROCESSES.glob("[0-9]*"):
        try:
            if (entry / "comm").read_text(encoding="utf-8", errors="replace").startswith("git"):
                folder = (entry / "cwd").readlink()
                if any(folder.is_relative_to(place) for place in places):
                    return True
        except PermissionError:
            return True
        except OSError:  # it has ended meanwhile
            continue
    return False
