"""Errors that say where, what and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct


class Place(Struct, frozen=True):
    """A position in a source file; line and column count from 1, 0 where unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        name = shown_path(self.file)
        if not self.line:
            return name
        return f"{name}:{self.line}:{self.column}" if self.column else f"{name}:{self.line}"


def shown_path(path: str) -> str:
    """The path as a user reads it: relative to the working directory where it lies below it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


class EnsembleError(Exception):
    """An error meant for the user: one message, no traceback.

    Attributes:
        message: what is wrong.
        place: where, if it is in a file.
        hint: what to do about it.
        exit_code: the exit code of a command that ends with it.
    """

    exit_code = 1

    def __init__(self, message: str, place: Place | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"

    def __reduce__(self) -> tuple[type[EnsembleError], tuple[object, ...]]:
        return (type(self), (self.message, self.place, self.hint))


class UsageError(EnsembleError):
    """The command or module was called in a wrong way."""

    exit_code = 2


class InvalidInput(EnsembleError):
    """A file or a value given by the user is wrong."""

    exit_code = 3


class InvalidInputs(InvalidInput):
    """Several things are wrong at once; each is a line of the message."""

    def __init__(self, errors: list[InvalidInput]) -> None:
        super().__init__("\n".join(str(error) for error in errors))
        self.errors = errors

    def __reduce__(self) -> tuple[type[InvalidInputs], tuple[list[InvalidInput]]]:
        return (type(self), (self.errors,))


def each(error: InvalidInput) -> list[InvalidInput]:
    """What an error tells, each thing by itself."""
    return error.errors if isinstance(error, InvalidInputs) else [error]


def error_document(error: EnsembleError, show: Callable[[str], str] = str) -> dict[str, str | int | None]:
    """An error in JSON: `file`, `line`, `column`, `message`, `hint`, `text`; `show` names files as people know them."""
    return {
        **place_document(error.place, show),
        "message": show(error.message),
        "hint": show(error.hint) if error.hint else error.hint,
        "text": show(str(error)),
    }


def place_document(place: Place | None, show: Callable[[str], str] = str) -> dict[str, str | int | None]:
    """A position in JSON: `file`, `line`, `column`."""
    return {
        "file": show(place.file) if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
    }


def raise_all(errors: Iterable[InvalidInput]) -> None:
    """Raise what is wrong, each thing once; nothing where nothing is."""
    unique = list({str(error): error for error in errors}.values())
    if len(unique) == 1:
        raise unique[0]
    if unique:
        raise InvalidInputs(unique)


class Locked(EnsembleError):
    """Another job holds the lock of the ensemble."""

    exit_code = 4
