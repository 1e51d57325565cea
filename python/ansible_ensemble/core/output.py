"""Standard streams without a reader: closed from the start, or later, as in `... | head -1`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


def open_standard_streams() -> None:
    """Let a process that was started with closed standard streams, as by some daemons, read and write nothing.

    Otherwise the next files that it opens, a journal for one, take their numbers, and what it starts prints into them.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def outlive_reader(stream: TextIO) -> None:
    """Have a stream drop its input once its reader is gone, so that the writer can finish its work."""
    for name in ("write", "flush"):
        with contextlib.suppress(AttributeError):  # one that is closed, or none at all
            setattr(stream, name, _dropping(stream, getattr(stream, name)))


def drop(stream: TextIO) -> None:
    """Have what a stream still holds, and what comes, not fail again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _dropping(stream: TextIO, method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        try:
            return method(*arguments)
        except BrokenPipeError:
            drop(stream)
            return None

    return call
