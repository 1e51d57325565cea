"""One login for all that goes on at once: processes of one run share the token that the first of them got."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.client.settings import Settings

#: Seconds for which a shared token is used; clients ask for tokens that live twice as long.
_USE = 3600


def shared_login(settings: Settings, folder: Path) -> Settings:
    """The settings with a token that others of this run use too, in the place of user and password.

    Args:
        settings: how to reach the server.
        folder: of the run; its owner alone can read it, and it goes with the run.
    """
    if settings.token or not settings.user:
        return settings
    file = _file(settings, folder)
    with _alone(file) as descriptor:
        token = _read(descriptor) if os.fstat(descriptor).st_mtime > time.time() - _USE else ""
        if not token:
            token = run(settings, Client.token)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, token.encode(), 0)
    return replace(settings, token=token)


def forget_login(settings: Settings, folder: Path) -> None:
    """Have the next one log in again: a password was changed, and tokens of it are invalid."""
    _file(settings, folder).unlink(missing_ok=True)


def _file(settings: Settings, folder: Path) -> Path:
    said = "\0".join((*settings.endpoints, settings.user, settings.password))
    return folder / f"provision-{hashlib.sha256(said.encode()).hexdigest()}"


@contextmanager
def _alone(file: Path) -> Iterator[int]:
    """The open file, which no other process has meanwhile."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> str:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode()
