"""The command, whose JSON is what the pages show: they have no other way to read an ensemble or to change one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError, error_document
from ansible_ensemble.core.own_command import own_command
from ansible_ensemble.projects.approval import APPROVED_BY

#: Seconds that a command may take to answer, and then to end when it is told to.
_PATIENCE, _GRACE = 300.0, 2.0
#: How many commands that change nothing run at a time.
_AT_ONCE = 2
#: How many answers are kept.
_KEPT = 200
#: Seconds for which an answer is given again although files outside of the ensemble's folder may have changed.
_FRESH = 3.0

#: Words of a command -> what it says.
Ask = Callable[[Sequence[str]], Coroutine[Any, Any, Any]]


class CommandFailed(Exception):
    """A command refused or failed.

    Attributes:
        exit_code: the command's.
        errors: each with its `message`, `hint`, `text`, `file` and `line`.
    """

    def __init__(self, exit_code: int, errors: Sequence[dict[str, Any]]) -> None:
        super().__init__("; ".join(str(error["text"]) for error in errors))
        self.exit_code = exit_code
        self.errors = errors


class Command:
    """The command, as it is run for those who look at the pages.

    Args:
        folder: where it runs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, words: Sequence[str], pass_fds: Sequence[int] = ()) -> Any:
        """What the command says in JSON; a few are asked at a time.

        It may read `pass_fds`, which are descriptors.

        Raises:
            CommandFailed: it refused or failed, or did not answer.
        """
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                *own_command(*words, "--output", "json"),
                cwd=self._folder,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
                pass_fds=pass_fds,
            )
            try:
                printed, said = await asyncio.wait_for(process.communicate(), _PATIENCE)
            except TimeoutError:
                raise failure(
                    1, f"`ansible-ensemble {words[0]}` did not answer within {_PATIENCE:.0f} seconds"
                ) from None
            finally:
                await _end(process)
        return _document(words[0], process.returncode or 0, printed, said.decode(errors="replace"))

    def begin(
        self, words: Sequence[str], output: int, own: Path, approved_by: str, pass_fds: Sequence[int]
    ) -> subprocess.Popen[bytes]:
        """Begin a job, which prints to a descriptor, outlives this process, and removes its `own` folder in the end.

        It was `approved_by` a user of the pages; empty for whoever started them. It may read `pass_fds`.
        """
        return subprocess.Popen(
            own_command(*words, "--no-color", folder=own),
            cwd=self._folder,
            env={**os.environ, **({APPROVED_BY: approved_by} if approved_by else {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=pass_fds,
        )


def _document(name: str, exit_code: int, printed: bytes, said: str) -> Any:
    """The JSON that the command of this name printed.

    Raises:
        CommandFailed: it is none, or says that the command failed.
    """
    try:
        document = json.loads(printed.decode(errors="surrogateescape"))
    except ValueError:
        raise failure(exit_code or 1, said) from None
    if exit_code and name != "validate":  # whose document has the errors of each file
        errors = document.get("errors") if isinstance(document, dict) else None
        raise CommandFailed(exit_code, errors) if errors else failure(exit_code, said)
    return document


async def _end(process: Process) -> None:
    """End a command that nobody waits for any more."""
    for stop in (process.terminate, process.kill):
        if process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            stop()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)


def failure(exit_code: int, text: str) -> CommandFailed:
    """The failure of a command that left no JSON, with what it wrote for people."""
    said = text.strip().removeprefix("Error: ") or f"the command ended with exit code {exit_code}"
    return CommandFailed(exit_code, [error_document(EnsembleError(said))])


class _Answer(Struct):
    task: asyncio.Task[Any]
    signature: object
    asked: float

    @property
    def failed(self) -> bool:
        """Whether the command failed, by what may be mended since."""
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)

    def holds(self, signature: object, now: float) -> bool:
        """Whether the command was asked of the same files, and answers now, or answered a moment ago."""
        return self.signature == signature and (not self.task.done() or now - self.asked <= _FRESH)


class Answers:
    """Answers of commands that only look, shared by all who ask while nothing has changed.

    Args:
        ask: what the command says.
        signature: of an ensemble, what differs as soon as its files do.
        clock: seconds of a clock that only goes forward.
    """

    def __init__(
        self, ask: Ask, signature: Callable[[Path], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask = ask
        self._signature = signature
        self._clock = clock
        self._known: dict[tuple[str, ...], _Answer] = {}

    async def get(self, words: Sequence[str], ensemble: Path, *, lasts: bool = False) -> Any:
        """What the command says of an ensemble, which may have been told to another viewer before.

        With `lasts` it is about what never changes, such as the record of a job.

        Raises:
            CommandFailed: the command refused or failed.
        """
        key = (*words, str(ensemble))
        known, signature, now = self._known.get(key), self._signature(ensemble), self._clock()
        if known is None or known.failed or not (lasts or known.holds(signature, now)):
            task = asyncio.create_task(self._ask(words))
            task.add_done_callback(_seen)
            known = self._known[key] = _Answer(task, signature, now)
            self._forget()
        return await asyncio.shield(known.task)

    def _forget(self) -> None:
        """Drop the oldest answers where there are many."""
        done = [key for key, answer in self._known.items() if answer.task.done()]
        for key in done[: max(0, len(self._known) - _KEPT)]:
            del self._known[key]

    def close(self) -> None:
        """End the commands that run."""
        for answer in self._known.values():
            answer.task.cancel()


def _seen(task: asyncio.Task[Any]) -> None:
    """Look at how a task ended, which asyncio else complains about where every viewer has left."""
    if not task.cancelled():
        task.exception()
