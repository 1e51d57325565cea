"""Digests of files and folders: has a content changed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError

#: Names that do not count as content of a folder: tools leave them where they work.
OF_TOOLS = frozenset({".git", "__pycache__", ".terraform", ".terraform.lock.hcl", ".terraform.tfstate.lock.info"})


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal digits."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EnsembleError(f"{path} cannot be read: {error.strerror or error}") from None


def digest_folder(path: Path) -> str:
    """Return a SHA-256 over a folder: names, contents, links and whether files are executable, in a fixed order.

    Times, owners and what tools leave there (`.git`, `__pycache__`, Terraform's own files) do not count. A symbolic
    link counts by where it points to, unfollowed.
    """
    total = hashlib.sha256()
    try:
        for folder, folders, files in os.walk(path, onerror=_raise):
            folders[:] = sorted(name for name in folders if name not in OF_TOOLS)
            links = [name for name in folders if (Path(folder) / name).is_symlink()]
            for name in sorted([*files, *links]):
                if name in OF_TOOLS:
                    continue
                entry = Path(folder) / name
                if entry.is_symlink():
                    kind, content = "link", str(entry.readlink())
                elif not entry.is_file():
                    kind, content = "other", ""
                else:
                    kind = "program" if os.access(entry, os.X_OK) else "file"
                    content = digest_file(entry)
                for part in (entry.relative_to(path).as_posix(), kind, content):
                    total.update(os.fsencode(part) + b"\0")
    except OSError as error:
        raise EnsembleError(f"{path} cannot be read: {error.strerror or error}") from None
    return total.hexdigest()


def digest_path(path: Path) -> str:
    """Return the digest of what a path names, a file or a folder."""
    return digest_folder(path) if path.is_dir() else digest_file(path)


def _raise(error: OSError) -> None:
    raise error
