"""Files of a pack: read as texts, and nowhere else than in its folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place

#: How large a pack may be: servers take no larger request.
MOST_BYTES = 10 * 2**20
_MOST_FILES = 20_000


def read_text(file: Path, inside: Path | None = None) -> str:
    """The text of a file, with its line ends as they are.

    Args:
        file: the file; a link to another file is followed.
        inside: the folder that links must not leave.
    """
    place = Place(str(file))
    try:
        if inside and not file.resolve().is_relative_to(inside.resolve()):
            raise InvalidInput("it leads out of the pack", place, "copy the file into the pack")
        data = _bytes(file, place)
    except RuntimeError:
        raise InvalidInput("its links lead to themselves", place, "remove it") from None
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", place) from None
    if b"\0" in data:
        raise InvalidInput("it has a NUL byte", place, "content is text; take what is binary from elsewhere")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = Place(str(file), data.count(b"\n", 0, error.start) + 1)
        raise InvalidInput("it is not UTF-8 text", line, "save it in UTF-8") from None


def _bytes(file: Path, place: Place) -> bytes:
    about = file.stat()
    if not stat.S_ISREG(about.st_mode):  # what is no file may block, or have no end
        raise InvalidInput("it is no file", place, "name a folder with content, or a bundle file")
    if about.st_size > MOST_BYTES:
        raise InvalidInput(f"it has more than {MOST_BYTES // 2**20} MiB", place, "content is text, and not so much")
    return file.read_bytes()


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder, by name, but for what is hidden."""
    try:
        found = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", Place(str(folder))) from None
    if len(found) > _MOST_FILES:
        raise InvalidInput(f"it has more than {_MOST_FILES} files", Place(str(folder)))
    return sorted(found, key=lambda entry: entry.name)


def files_below(folder: Path) -> list[Path]:
    """The files below a folder, those of inner folders after its own; links to folders are files."""
    files: list[Path] = []
    waiting = [folder]  # by hand instead of by recursion, because content decides how deep it goes
    while waiting:
        found = entries_of(waiting.pop())
        files += [Path(entry.path) for entry in found if not entry.is_dir(follow_symlinks=False)]
        waiting += [Path(entry.path) for entry in reversed(found) if entry.is_dir(follow_symlinks=False)]
        if len(files) + len(waiting) > _MOST_FILES:
            raise InvalidInput(f"it has more than {_MOST_FILES} files", Place(str(folder)))
    return files
