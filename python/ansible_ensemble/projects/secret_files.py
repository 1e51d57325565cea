"""Secret files that tools keep with an ensemble: in clear while a tool is at work, encrypted when it is not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.projects.vault import Vault, is_encrypted, protect


@contextmanager
def open_secrets(folder: Path, vault: Vault) -> Iterator[Path]:
    """Open a folder of secret files: they are in clear, and only its owner can read them, as long as it is open.

    Then they are encrypted where there is a vault password; a file that was not changed is byte by byte as it was, so
    that git sees no change. Should the process die meanwhile, they are in clear, and the next one takes them so: a
    tool's state is worth more than its secrecy on this machine. A folder that is empty at the end is removed.

    Args:
        folder: made where it is missing.
        vault: has the password.
    """
    closed: dict[Path, tuple[bytes, bytes]] = {}
    missing = [path for path in folder.parents if not path.exists()]
    try:
        make_private(folder)
        folder.chmod(0o700)
        for path in sorted(folder.rglob("*")):
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            if is_encrypted(data):
                closed[path] = data, vault.decrypt_bytes(data, Place(str(path)))
        for path, (_other, clear) in closed.items():
            _write(path, clear)
    except OSError as error:
        raise EnsembleError(f"secret files cannot be opened: {error.strerror or error}", Place(str(folder))) from error
    try:
        yield folder
    finally:
        for path, (data, clear) in closed.items():
            if path.is_file() and path.read_bytes() == clear:
                _write(path, data)
        protect(folder, vault)
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                path.chmod(0o600)
        with suppress(OSError):  # it is not empty
            for path in (folder, *missing):
                path.rmdir()


def _write(path: Path, data: bytes) -> None:
    aside = path.with_name(f".{path.name}.new")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(path)
