"""The log of a running server: lines of text or of JSON on the standard error output; the latest can be asked for."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections import deque
from collections.abc import Mapping
from itertools import count

from aiohttp.http import HttpProcessingError
from aiohttp.web import RequestPayloadError

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.core.texts import cut
from ansible_ensemble.provision.objects.event import LogLine

#: Whose messages are shown: ours, and those of the libraries about connections.
_OURS = "ansible_ensemble.provision"
_LOGGERS = (_OURS, "aiohttp", "asyncio")

#: The parts of the server whose level a preference sets, each with its modules; the first has all others.
_SERVICES = {
    "logLevel": ("default", [_OURS]),
    "debugFrontend": ("frontend", [f"{_OURS}.server"]),
    "debugPlugins": ("plugin", [f"{_OURS}.server.plugins", f"{_OURS}.server.plugin_process"]),
}

#: Levels as clients know them.
LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "audit": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "fatal": logging.CRITICAL,
    "panic": logging.CRITICAL,
}
_NAMES = {level: name for name, level in LEVELS.items() if name not in ("trace", "audit", "panic")}

#: How many lines can be asked for, and of each so many characters.
_KEPT, _LONGEST = 1000, 4000


class Log(logging.Handler):
    """The latest lines of the log, and which levels are logged.

    Args:
        level: of what no preference is about.
    """

    def __init__(self, level: str = "info") -> None:
        super().__init__()
        self._level, self._seq = level, count(1)
        self._lines: deque[LogLine] = deque(maxlen=_KEPT)

    @property
    def lines(self) -> list[LogLine]:
        """The latest lines, the oldest first."""
        return [*self._lines]

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        try:
            message = cut(record.getMessage(), _LONGEST)
        except Exception:
            self.handleError(record)
            return
        self._lines.append(
            LogLine(
                seq=next(self._seq),
                time=iso_time(now()),
                service=_service(record.name),
                level=_NAMES.get(record.levelno, "info"),
                file=record.module,
                line=record.lineno,
                message=message,
            )
        )

    def follow(self, preferences: Mapping[str, str]) -> None:
        """Log by the levels that preferences name; what is no level changes nothing."""
        for name, (_title, modules) in _SERVICES.items():
            otherwise = _number(self._level) if name == "logLevel" else logging.NOTSET
            for module in modules:
                logging.getLogger(module).setLevel(LEVELS.get(preferences.get(name, ""), otherwise))


def _service(module: str) -> str:
    """The part of the server that a module is of."""
    for service, modules in reversed(_SERVICES.values()):
        if any(module == one or module.startswith(f"{one}.") for one in modules):
            return service
    return "default"


class _Text(logging.Formatter):
    """One line for each record; a traceback follows for who asked for everything."""

    def __init__(self, *, whole: bool) -> None:
        super().__init__("%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
        self.converter = time.gmtime
        self._whole = whole

    def format(self, record: logging.LogRecord) -> str:
        """The line, without what would make another one of it."""
        line = self.formatMessage(self._completed(record))
        line = line if line.isprintable() else line.encode("unicode_escape").decode("ascii")
        return f"{line}\n{self.traceback(record)}" if self.traceback(record) else line

    def traceback(self, record: logging.LogRecord) -> str:
        """The traceback, if it is to be shown."""
        return self.formatException(record.exc_info) if self._whole and record.exc_info else ""

    def _completed(self, record: logging.LogRecord) -> logging.LogRecord:
        record.message = record.getMessage()
        record.asctime = self.formatTime(record, self.datefmt)
        return record


class _Json(_Text):
    """One JSON object for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """The object."""
        self._completed(record)
        said = {
            "time": f"{record.asctime}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.message,
        }
        if traceback := self.traceback(record):
            said["traceback"] = traceback
        return json.dumps(said)


#: What is wrong with requests that are no HTTP, or not sent to their end.
_OF_SENDERS = (HttpProcessingError, RequestPayloadError, ConnectionError)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a record is of more than what senders do: they have the answer, or have gone."""
    of_sender = record.exc_info and isinstance(record.exc_info[1], _OF_SENDERS)
    return not (of_sender and record.name.startswith("aiohttp"))


def begin(level: str, form: str) -> Log:
    """Show the log from now on, for the rest of the process, and keep its latest lines.

    Args:
        level: `error`, `warning`, `info` or `debug`; the last with tracebacks.
        form: `text` or `json`.
    """
    handler, kept = logging.StreamHandler(sys.stderr), Log(level)
    whole = level == "debug"
    if not whole:
        handler.addFilter(_is_ours)
        kept.addFilter(_is_ours)
    handler.setFormatter(_Json(whole=whole) if form == "json" else _Text(whole=whole))
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.addHandler(kept)
        logger.setLevel(level.upper() if name.startswith("ansible") else max(logging.WARNING, _number(level)))
    return kept


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]
