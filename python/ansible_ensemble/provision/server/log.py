"""The log of a running server: lines of text or of JSON on the standard error output."""

from __future__ import annotations

import json
import logging
import sys
import time

from aiohttp.http import HttpProcessingError
from aiohttp.web import RequestPayloadError

#: Whose messages are shown: ours, and those of the libraries about connections.
_LOGGERS = ("ansible_ensemble.provision", "aiohttp", "asyncio")


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


def begin(level: str, form: str) -> None:
    """Show the log from now on, for the rest of the process.

    Args:
        level: `error`, `warning`, `info` or `debug`; the last with tracebacks.
        form: `text` or `json`.
    """
    handler = logging.StreamHandler(sys.stderr)
    whole = level == "debug"
    if not whole:
        handler.addFilter(_is_ours)
    handler.setFormatter(_Json(whole=whole) if form == "json" else _Text(whole=whole))
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level.upper() if name.startswith("ansible") else max(logging.WARNING, _number(level)))


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]
