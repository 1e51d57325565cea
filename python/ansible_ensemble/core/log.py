"""The log: what was looked at and decided, for whoever looks for a fault. It is off until somebody asks for it.

Modules log by `logging.getLogger(__name__)`: names, counts and states, and no values; of a command its program alone.
What is known to be secret is masked all the same.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.sensitive import Redactor

#: Names the file for this process and for those that it starts.
VARIABLE = "ANSIBLE_ENSEMBLE_LOG"

_LOGGER = logging.getLogger("ansible_ensemble")
_FORMAT = "%(asctime)s.%(msecs)03dZ %(process)d %(name)s: %(message)s"


class _Lines(logging.Formatter):
    """One line for each record, without the secrets that the redactors know by then."""

    def __init__(self) -> None:
        super().__init__(_FORMAT, "%Y-%m-%dT%H:%M:%S")
        self.converter = time.gmtime
        self.redactors: list[Redactor] = []

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for redactor in self.redactors:
            text = redactor.text(text)
        return text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text


class _Handler(logging.Handler):
    """Gives each line to a function; what goes wrong there (a full disk) is no fault of what is logged."""

    def __init__(self, name: str, write: Callable[[str], object], close: Callable[[], None]) -> None:
        super().__init__()
        self.name = name
        self.lines = _Lines()
        self.setFormatter(self.lines)
        self._write, self._close = write, close

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):
            self._write(self.format(record))

    def close(self) -> None:
        super().close()
        self._close()


def show(write: Callable[[str], object]) -> None:
    """Log to a function that takes a line; processes that are forked from this one do not."""
    process = os.getpid()
    if not _is_begun("shown"):
        _begin(_Handler("shown", lambda line: write(line) if os.getpid() == process else None, lambda: None))


def keep(file: Path) -> None:
    """Log to the end of a file, which nobody else may read when it is made here."""
    path = file.absolute()
    if _is_begun(str(path)):
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InvalidInput(f"the log cannot be written: {error.strerror}", Place(str(path))) from error
    # one write a line: so the lines of several processes do not mix
    _begin(_Handler(str(path), lambda line: os.write(descriptor, f"{line}\n".encode()), lambda: os.close(descriptor)))


def follow(environment: Mapping[str, str]) -> None:
    """Log to the file that the environment names, if it names one."""
    if environment.get(VARIABLE):
        keep(Path(environment[VARIABLE]))


def mask(redactor: Redactor) -> None:
    """Mask what a redactor knows, and what it learns later, in all that is logged from now on."""
    for handler in _LOGGER.handlers:
        if isinstance(handler, _Handler):
            handler.lines.redactors.append(redactor)


def end() -> None:
    """Log no more, and forget the redactors."""
    for handler in [one for one in _LOGGER.handlers if isinstance(one, _Handler)]:
        _LOGGER.removeHandler(handler)
        handler.close()
    _LOGGER.setLevel(logging.NOTSET)


def _is_begun(name: str) -> bool:
    return any(handler.name == name for handler in _LOGGER.handlers)


def _begin(handler: _Handler) -> None:
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(logging.DEBUG)
