"""Files and images that machines load: kept in folders beside the database, and never looked into."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec
from msgspec import Struct

from ansible_ensemble.provision.rules.refusal import Refused

#: What there is: files in folders, and images side by side.
BLOBS = ("files", "isos")

#: The folder of what is being uploaded.
_ARRIVING = "uploads"

#: The folder of what is known of files, by the digests of their names.
_CHECKSUMS = "checksums"

#: How many bytes the name of a file may have.
_LONGEST = 255


class BlobInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was uploaded."""

    path: str
    size: int


class Blobs(Struct, frozen=True):
    """The files of a kind.

    Attributes:
        kind: one of `BLOBS`.
        data: the folder of what the server keeps.
    """

    kind: str
    data: Path

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self.data / self.kind

    def key(self, name: str) -> str:
        """What answers and claims call a file."""
        return "/" + "/".join(_parts(name)) if self.kind == "files" else name

    def names(self, folder: str) -> list[str]:
        """What is in a folder; folders in it end with a slash."""
        parts = _parts(folder)
        try:
            found = self._path(folder, "GET") if parts else self.folder
            return sorted(f"{one.name}/" if one.is_dir() else one.name for one in found.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            if parts:
                raise self._refused(404, "Not a directory", "GET", folder) from None
            return []

    def find(self, name: str) -> Path:
        """A file."""
        path = self._path(name, "GET")
        if not path.is_file():
            raise self._refused(404, "Not a regular file", "GET", name)
        return path

    def checksum(self, path: Path) -> str:
        """The SHA-256 of a file, which is read once for each of its versions, also by later servers."""
        at = path.stat()
        version = f"{at.st_size} {at.st_mtime_ns} {at.st_ino} "
        name = hashlib.sha256(os.fsencode(path.relative_to(self.folder))).hexdigest()
        kept = self.data / _CHECKSUMS / self.kind / name
        with suppress(OSError):
            if (known := kept.read_text(encoding="ascii")).startswith(version):
                return known.removeprefix(version)
        found = _digest(path)
        with suppress(OSError):  # then it is read again
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, partial = tempfile.mkstemp(dir=kept.parent)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(version + found)
            Path(partial).replace(kept)
        return found

    def remove(self, name: str) -> None:
        """Remove a file, or an empty folder.

        Raises:
            Refused: 404, there is none, or the folder is not empty.
        """
        path = self._path(name, "DELETE")
        try:
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
        except OSError:
            message = "Unable to delete" if self.kind == "files" else "no such iso"
            raise self._refused(404, message, "DELETE", name) from None

    def begin(self, name: str) -> Arrival:
        """Begin to take a file, which replaces one of its name once it is complete.

        Raises:
            Refused: 409, it cannot be there.
        """
        path, arriving = self._path(name, "POST"), self.data / _ARRIVING
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            message = f"Cannot create directory {PurePosixPath(self.key(name)).parent}"
            raise self._refused(409, message, "POST", name) from None
        if path.is_dir():
            raise self._refused(409, f"{self.key(name)} is a directory", "POST", name)
        arriving.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, partial = tempfile.mkstemp(dir=arriving)
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # for `remove_broken`
        return Arrival(path, Path(partial), os.fdopen(descriptor, "wb"))

    def _path(self, name: str, method: str) -> Path:
        """Where a file of a name is, or would be; never outside of the folder, not even by a link."""
        parts = _parts(name)
        depth = 1 if self.kind == "isos" else len(parts)
        if len(parts) != depth or not parts or any(part in (".", "..") or "\0" in part for part in parts):
            raise self._refused(400, f"Invalid name {name}", method, name)
        path = self.folder.joinpath(*parts)
        try:
            too_long = any(len(os.fsencode(part)) > _LONGEST for part in parts)
            if too_long or not path.resolve().is_relative_to(self.folder.resolve()):
                raise self._refused(400, f"Invalid name {name}", method, name)
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return path
        except (OSError, ValueError, RuntimeError):  # no text of this system, links in a circle
            raise self._refused(400, f"Invalid name {name}", method, name) from None
        return path

    def _refused(self, status: int, message: str, method: str, name: str) -> Refused:
        return Refused(status, message, type=method, model=self.kind, key=self.key(name))


class Arrival(Struct, frozen=True):
    """A file that is being uploaded."""

    path: Path
    partial: Path
    file: IO[bytes]

    def complete(self) -> None:
        """Put it where it belongs, durably."""
        with self.file:
            self.file.flush()
            os.fsync(self.file.fileno())
        self.partial.replace(self.path)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def abandon(self) -> None:
        """Forget what came, if it is not complete."""
        self.file.close()
        self.partial.unlink(missing_ok=True)


def remove_broken(data: Path) -> None:
    """Remove what uploads left that broke off with their server; several servers may have one folder."""
    for partial in (data / _ARRIVING).glob("*"):
        with suppress(OSError), partial.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            partial.unlink()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part]
