"""The log of a command, where one is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.cli.console import Console
from ansible_ensemble.core import log


@contextmanager
def logged(arguments: argparse.Namespace, console: Console) -> Iterator[None]:
    """Log what is done in the block: to stderr with -vvv, to a file where one is named."""
    try:
        if getattr(arguments, "verbose", 0) > 2:
            log.show(lambda line: console.stderr.write(f"{line}\n"))
        if getattr(arguments, "log_file", None):
            log.keep(Path(arguments.log_file))
        else:
            log.follow(console.environment)
        yield
    finally:
        log.end()


def passed_on(arguments: argparse.Namespace) -> dict[str, str]:
    """The variable by which the processes of a command log to its file."""
    file = getattr(arguments, "log_file", None)
    return {log.VARIABLE: str(Path(file).absolute())} if file else {}
