"""Paths that a file names: what is there, and that they stay inside the folders they may lead to.

A text may be no path at all: too long for the file system, with a null byte, a link that leads to itself. Nothing is
there then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place


def is_file(path: Path) -> bool:
    """Whether there is a file at a path in a file."""
    return _answer(path.is_file)


def is_folder(path: Path) -> bool:
    """Whether there is a folder at a path in a file."""
    return _answer(path.is_dir)


def is_there(path: Path) -> bool:
    """Whether there is anything at a path in a file."""
    return _answer(path.exists)


def resolved(path: Path) -> Path:
    """Where a path in a file leads, its links followed; the path itself if it can be none."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _answer(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except (OSError, RuntimeError, ValueError):
        return False


def confine(path: str | Path, base: Path, roots: Iterable[Path], what: str, place: Place | None = None) -> Path:
    """Return where a path leads, with its symbolic links followed.

    Args:
        path: the path as given; `~` is not expanded.
        base: the folder that a relative path starts from.
        roots: the folders it may lead into, or to.
        what: what the path is, for the error: "the artifact".
        place: where it is given.

    Returns:
        The absolute path; it need not exist.
    """
    text = str(path)
    if not text or "\0" in text:
        raise InvalidInput(f"{what} {text!r} is not a path", place)
    try:
        found = (base / path).resolve()
        allowed = [root.resolve() for root in roots]
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            found.stat()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput(
            f"{what} {text!r} is not a path: {getattr(error, 'strerror', None) or error}", place
        ) from None
    if any(found.is_relative_to(root) for root in allowed):
        return found
    raise InvalidInput(
        f"{what} {text!r} leads out of the project, to {found}",
        place,
        "move it into the project, or allow its folder by name",
    )


def can_name_folder(name: str) -> bool:
    """Whether a folder can be named after it, once its slashes are written otherwise."""
    return name not in ("", ".", "..") and "\0" not in name


def folder_name(name: str) -> str:
    """A name as a folder's name; the few names that cannot be one are refused."""
    if not can_name_folder(name):
        raise InvalidInput(f"{name!r} cannot be the name of a folder")
    return name.replace("%", "%25").replace("/", "%2F")
