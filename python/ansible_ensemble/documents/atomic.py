"""Files that are either the old or the new one, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError

#: Hexadecimal digits that distinguish writers of the same file.
_TOKEN = 8


def write_atomically(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Replace a file by new text; after a crash or a failure it holds the whole old or the whole new text.

    A symbolic link stays, and the file it leads to is replaced. The file keeps its mode, and its owner where the
    system lets us.

    Args:
        path: the file; its folder must exist.
        text: the text, written as UTF-8 with its line ends as they are.
        mode: the mode of a file that is new, less the umask.
    """
    with write_errors(path):
        content = text.encode("utf-8")
        path = path.resolve()
        temporary = path.with_name(f".{path.name[:200]}.{os.urandom(_TOKEN // 2).hex()}.new")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                _keep_owner_and_mode(path, file.fileno())
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def unfinished(folder: Path, name: str = "*") -> Iterator[Path]:
    """What writers that were killed left in a folder, if there is one, of files whose names are like `name`."""
    return folder.glob(f".{name}.{'[0-9a-f]' * _TOKEN}.new")


def _keep_owner_and_mode(path: Path, handle: int) -> None:
    """Give a new file the owner and the mode of the one it replaces, if there is one."""
    try:
        old = path.stat()
    except FileNotFoundError:
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def append_durably(path: Path, text: str) -> None:
    """Append text to a file, made if it is missing; when this returns, the text is on disk.

    A write that fails half way (disk full) is taken back. An unfinished last line that a crash left behind is
    ended first, so that it cannot swallow the new text.
    """
    with write_errors(path):
        content = text.encode("utf-8")
        new = not path.exists()
        with path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
                if file.read(1) != b"\n":
                    content = b"\n" + content
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(file.fileno(), size)
                raise
        if new:
            _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable; some file systems cannot, and need not."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn the system's errors into those for the user."""
    try:
        yield
    except UnicodeEncodeError:
        raise EnsembleError(f"{path} cannot be written: the text is not Unicode") from None
    except RuntimeError:  # so Python up to 3.12 says it
        raise EnsembleError(f"{path} cannot be written: it is a link that leads to itself") from None
    except OSError as error:
        hint = _HINTS.get(type(error)) or ("free some space" if error.errno in _FULL else None)
        raise EnsembleError(f"{path} cannot be written: {error.strerror or error}", hint=hint) from error


_HINTS: dict[type[OSError], str] = {
    PermissionError: "check who owns the file and its folder",
    FileExistsError: "a file stands where its folder should be",
    FileNotFoundError: "make its folder first",
    IsADirectoryError: "a folder has this name",
    NotADirectoryError: "a file stands where its folder should be",
}
_FULL = (errno.ENOSPC, errno.EDQUOT)
