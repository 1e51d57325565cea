"""The global lock: one job at a time on all clones of an ensemble, by the `git lfs` client (docs/rules.md, "Locking").

A server's locks belong to users, not to processes. So the lock's id is kept beside the local lock: a lock that a killed
job of this very copy left is recognised by it and used again. That is safe only under the local lock, which is
therefore taken first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Locked, Place
from ansible_ensemble.core.texts import with_shown_urls, without_credentials
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.projects.git import git_environment, repository_of, run_git
from ansible_ensemble.projects.lock import lock_path
from ansible_ensemble.projects.sections import as_section

_MODES = ("no", "try", "require")
_KEYS = ("lock", "url", "name")
_VERIFY = ("locks", "--verify", "--json")


class LfsSettings(Struct, frozen=True):
    """The `lfs_lock` section of an environment.

    Attributes:
        lock: `no`; `try` continues without one if no server is available; `require` does not.
        url: of the LFS server; empty is that of the repository's `origin`.
        name: of the lock, with `$ensemble_uri`, `$environment` and `$local_lock_path`; empty is the local lock's path.
    """

    lock: str = "no"
    url: str = ""
    name: str = ""


class GlobalLock(Struct, frozen=True):
    """A lock that is held.

    Attributes:
        root: the repository's working tree.
        name: its name on the server.
        id: its id there.
        owner: whom the server takes us for.
        url: of the server, empty for the repository's own.
        record: the file that remembers it.
    """

    root: Path
    name: str
    id: str
    owner: str
    url: str
    record: Path


class _Held(Struct, frozen=True):
    id: str
    path: str
    owner: str
    since: str


def lfs_settings(section: object, place: Place | None = None) -> LfsSettings:
    """Read the `lfs_lock` section; None is the default."""
    if section is None:
        return LfsSettings()
    values = as_section(section, "lfs_lock", _KEYS, place)
    for key, value in values.items():
        if not isinstance(value, (str, bool)):
            raise InvalidInput(f"{key} of lfs_lock must be a text", place)
    # `lock: no` of a YAML 1.1 reader is a boolean
    mode = "no" if values.get("lock") is False else str(values.get("lock", "no"))
    if mode not in _MODES:
        raise InvalidInput(f"lfs_lock cannot be {mode!r}", place, hint="it is one of " + ", ".join(_MODES))
    return LfsSettings(mode, str(values.get("url", "")), str(values.get("name", "")))


def acquire_global(
    settings: LfsSettings,
    ensemble: Path,
    *,
    uri: str = "",
    environment: str = "",
    notice: Callable[[str], None] | None = None,
) -> GlobalLock | None:
    """Take the global lock; the caller holds the local one.

    Args:
        settings: those of the environment.
        ensemble: the ensemble's file.
        uri: what `$ensemble_uri` stands for.
        environment: what `$environment` stands for.
        notice: called with a line of text when it continues without a lock, or reuses one that was left behind.

    Returns:
        The lock; None where none is wanted, or none can be had and that is allowed.

    Raises:
        Locked: another job has it.
    """
    if settings.lock == "no":
        return None
    root = repository_of(ensemble.parent)
    try:
        if root is None:
            raise EnsembleError("the ensemble is in no git repository", Place(str(ensemble)))
        return _take(root, settings, ensemble, _name(settings, root, ensemble, uri, environment), notice)
    except (Locked, InvalidInput):
        raise
    except EnsembleError as error:
        if settings.lock == "require":
            error.hint = "the environment's lfs_lock requires the lock; `try` continues without a server"
            raise
        _tell(notice, f"no global lock: {error.message}")
        return None


def check_global(lock: GlobalLock) -> None:
    """Make sure that the lock is still ours.

    Raises:
        Locked: another job holds it now, or it was removed.
    """
    status, out, error = _lfs(lock.root, lock.url, *_VERIFY)
    if status != 0:
        raise _failed(lock.root, error)
    lost = lost_to(lock, out)
    if lost is not None:
        raise Locked(lost, Place(str(lock.root)))


def verification(lock: GlobalLock) -> tuple[tuple[str, ...], dict[str, str]]:
    """The command that asks the server who holds the lock, and its environment, for callers that do not wait here."""
    return ("git", "lfs", *_VERIFY), git_environment(_settings(lock.url))


def lost_to(lock: GlobalLock, answer: str) -> str | None:
    """How the lock was lost, in words, by what the command of `verification` prints; None if it is still ours."""
    found = _json(lock.root, answer)
    if any(held.id == lock.id for held in _locks(found.get("ours"))):
        return None
    others = [held for held in _locks(found.get("theirs")) if held.path == lock.name]
    whose = f"{others[0].owner} has held it since {others[0].since}" if others else "it was removed"
    return f"the global lock {lock.name} was lost while the job ran: {whose}"


def release_global(lock: GlobalLock) -> str | None:
    """Release the lock; returns a message if the server did not: it is then recorded, and reused by the next job."""
    # forced, because the client refuses to unlock a file with changes; the id makes sure that it is our own lock
    status, _output, error = _lfs(lock.root, lock.url, "unlock", "--force", f"--id={lock.id}")
    gone = status == 0 or "not found" in error.lower()
    if gone:
        with suppress(OSError):
            lock.record.unlink(missing_ok=True)
        return None
    why = without_credentials(error.strip().rpartition("\n")[2])
    return (
        f"the global lock {lock.name} could not be released: {why} "
        f"(the next job of this copy reuses it; `git lfs unlock --force --id={lock.id}` releases it)"
    )


def left_global(settings: LfsSettings, ensemble: Path) -> GlobalLock | None:
    """The global lock that this copy has recorded as held, to release it instead of the holder; None if none."""
    root, local = repository_of(ensemble.parent), lock_path(ensemble)
    record = local.with_name(local.name + ".lfs")
    kept = _remembered(record)
    if root is None or not isinstance(kept, dict) or not {"id", "name"} <= kept.keys():
        return None
    return GlobalLock(root, str(kept["name"]), str(kept["id"]), "", settings.url, record)


def _take(
    root: Path, settings: LfsSettings, ensemble: Path, name: str, notice: Callable[[str], None] | None
) -> GlobalLock:
    local = lock_path(ensemble)
    record = local.with_name(local.name + ".lfs")
    status, out, error = _lfs(root, settings.url, "lock", "--json", "--", name)
    if status == 0:
        held = _locks(_json(root, out))[0]
        write_atomically(record, json.dumps({"id": held.id, "name": name}) + "\n", mode=0o600)
        return GlobalLock(root, name, held.id, held.owner, settings.url, record)
    status, out, _error = _lfs(root, settings.url, "locks", "--json", f"--path={name}")
    held_by = _locks(_json(root, out)) if status == 0 else []
    if not held_by:
        raise _failed(root, error)
    held = held_by[0]
    if _remembered(record) == {"id": held.id, "name": name}:
        _tell(notice, f"reused the global lock {name} that an earlier job of this copy left")
        return GlobalLock(root, name, held.id, held.owner, settings.url, record)
    raise Locked(
        f"the global lock {name} is held by {held.owner} since {held.since}",
        Place(str(ensemble)),
        hint=f"try again later; if nothing runs there any more: `git lfs unlock --force --id={held.id}`",
    )


def _name(settings: LfsSettings, root: Path, ensemble: Path, uri: str, environment: str) -> str:
    local = os.path.relpath(lock_path(ensemble), root)
    values = {"ensemble_uri": uri, "environment": environment, "local_lock_path": local}
    try:
        name = Template(settings.name or "$local_lock_path").substitute(values)
    except (KeyError, ValueError) as error:
        known = ", ".join(f"${key}" for key in values)
        raise InvalidInput(f"the lock's name {settings.name!r} cannot be made", hint=f"it knows {known}") from error
    # a URI has characters that a path in a repository must not have
    name = without_credentials(name).replace("://", "/").replace(":", "/").strip("/")
    if not name or any(part in ("", ".", "..") or part[0] == "-" for part in name.split("/")):
        raise InvalidInput(f"{name!r} cannot be the name of a global lock", hint="it is a path in the repository")
    return name


def _lfs(root: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    return run_git(root, "lfs", *arguments, settings=_settings(url))


def _settings(url: str) -> dict[str, str]:
    return {"lfs.dialtimeout": "10", "lfs.activitytimeout": "20", **({"lfs.url": url} if url else {})}


def _json(root: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _failed(root, f"unexpected answer: {text[:200]}") from error


def _locks(answer: Any) -> list[_Held]:
    """The locks of an answer, which is one lock, a list, or null for an empty list."""
    found = [answer] if isinstance(answer, dict) else answer or []
    return [
        _Held(
            id=str(item.get("id", "")),
            path=str(item.get("path", "")),
            owner=str((item.get("owner") or {}).get("name") or "an unknown owner"),
            since=str(item.get("locked_at", "")),
        )
        for item in found
    ]


def _remembered(record: Path) -> Any:
    try:
        return json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _failed(root: Path, text: str) -> EnsembleError:
    return EnsembleError(f"git lfs failed: {with_shown_urls(text.strip())}", Place(str(root)))


def _tell(notice: Callable[[str], None] | None, text: str) -> None:
    if notice is not None:
        notice(text)
