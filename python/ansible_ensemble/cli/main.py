"""The entry point of `ansible-ensemble`."""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import logging
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from ansible_ensemble import __version__
from ansible_ensemble.cli.catalogue import HELP, OTHER, OTHER_TOOLS, find_command, overview
from ansible_ensemble.cli.command import Command
from ansible_ensemble.cli.console import Console, standard_console
from ansible_ensemble.cli.logged import logged
from ansible_ensemble.cli.parser import parser_for
from ansible_ensemble.cli.passwords import asked_passwords
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.output import drop, open_standard_streams, outlive_reader
from ansible_ensemble.core.processor_time import OutOfTime, allow, collect_rarely

_LOG = logging.getLogger(__name__)

DEBUG = "ANSIBLE_ENSEMBLE_DEBUG"
#: System errors that any write can have, and that are not bugs.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: its arguments; those of the process when left out.

    Returns:
        The exit code (see `exit_codes`).
    """
    open_standard_streams()
    collect_rarely()
    atexit.register(gc.freeze)  # else the interpreter looks for garbage once more before it ends, which takes long
    for number in (signal.SIGTERM, signal.SIGHUP):
        # what was started with nohup continues when its terminal is gone
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    return execute(sys.argv[1:] if argv is None else argv, Session(standard_console(os.environ)))


def execute(argv: Sequence[str], session: Session) -> int:
    """Run the command in a session; every way of ending becomes an exit code."""
    console = session.console
    try:
        return _dispatch(argv, session)
    except EnsembleError as error:
        console.error(error)
        if _wants_traceback(argv, console):
            traceback.print_exc(file=console.stderr)
        return error.exit_code
    except OutOfTime:
        hint = "look for what takes so long in its files; nothing bounds it in a project that is trusted"
        console.error(InvalidInput("the project is not trusted, and takes too much processor time", hint=hint))
        return InvalidInput.exit_code
    except MemoryError:
        console.error(InvalidInput("the project takes too much memory", hint="look for what grows in its files"))
        return InvalidInput.exit_code
    except KeyboardInterrupt:
        console.error(EnsembleError("interrupted"))
        return 128 + signal.SIGINT
    except BrokenPipeError:
        drop(sys.stdout)  # its reader has closed it
        drop(sys.stderr)
        return 128 + signal.SIGPIPE
    except SystemExit as end:
        outlive_reader(console.stdout)  # argparse leaves its help to be written at the end
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:
        if _wants_traceback(argv, console):
            traceback.print_exc(file=console.stderr)
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            what = error.filename or "what the command prints"
            console.error(EnsembleError(f"{what} cannot be written: {error.strerror}"))
            drop(sys.stdout)
            return 1
        if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
            # so Python keeps bytes of arguments and of the input that are no text
            console.error(InvalidInput("an argument or the input is not UTF-8 text", hint="give it in UTF-8"))
            return InvalidInput.exit_code
        defect = f"{type(error).__name__}: {error}"
        hint = f"this is a bug in ansible-ensemble, please report it; {DEBUG}=1 shows the traceback"
        console.error(EnsembleError(defect, hint=hint))
        return 1


def _dispatch(argv: Sequence[str], session: Session) -> int:
    if not argv or argv[0] in HELP or list(argv) == ["help"]:
        return _help(session, asked=bool(argv))
    words = list(argv)
    session.console.no_colour = "--no-color" in words  # also where they turn out to be wrong
    if words[0] == "--version":
        words[0] = "version"
    elif words[0] == "help":
        words = [*words[1:], HELP[0]]
    elif words[0] in OTHER_TOOLS:
        words = importlib.import_module("ansible_ensemble.cli.other_tools").translated(words[0], words[1:])
        session.console.notice(f"this is `ansible-ensemble {shlex.join(words)}`")
    command, rest = find_command(words)
    if command.parts:
        return _help(session, command, asked=bool(rest))
    module = importlib.import_module(f"ansible_ensemble.cli.commands.{command.module}")
    parser = parser_for(command)
    module.configure(parser)
    arguments = parser.parse(rest)
    session.console.output = getattr(arguments, "output", "text")
    session.console.no_colour = getattr(arguments, "no_colour", False)
    with logged(arguments, session.console):
        _LOG.info("%s %s begins", command.name, __version__)
        if command.group != OTHER:
            _require_folder()
            importlib.import_module("ansible_ensemble.cli.trust").settle_trust(command, arguments, session.console)
        if command.extra:
            importlib.import_module("ansible_ensemble.cli.extras").require(command.extra)
        with asked_passwords(arguments, session.console) as answered:
            code = int(module.run(answered, session))
        allow(0)
        _LOG.info("%s ends with exit code %d", command.name, code)
        return code


def _require_folder() -> None:
    try:
        os.getcwd()  # noqa: PTH109  (of a folder that is gone, neither tells its name)
    except FileNotFoundError:
        hint = "change to a folder that exists (cd), and give the command again"
        raise InvalidInput("the current folder was deleted", hint=hint) from None


def _help(session: Session, command: Command | None = None, *, asked: bool) -> int:
    """Show what commands there are; that nobody asked for it is wrong usage."""
    session.console.result(overview(command, session.console.style.columns))
    return 0 if asked else 2


def _wants_traceback(argv: Sequence[str], console: Console) -> bool:
    return bool(console.environment.get(DEBUG)) or any(word.startswith("-vvv") for word in argv)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    # an exception, so that locks are released on the way out
    raise SystemExit(128 + number)
