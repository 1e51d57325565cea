"""The worker for shell commands and other local subprocesses, on asyncio.

A command is started by `subprocess.Popen` without `preexec_fn` (which keeps it on vfork, whose price does not grow with
our own memory), in a session of its own, and watched through a pidfd: half the price of asyncio's own subprocesses,
which start a thread for each child on Python 3.11.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import errno
import logging
import os
import signal
import subprocess
from collections.abc import Callable
from typing import IO

from ansible_ensemble.core.environment import with_changes
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.execution.output import OUTPUT_LIMIT, BoundedOutput
from ansible_ensemble.execution.watchdog import Watchdog

_LOG = logging.getLogger(__name__)

#: Called with `stdout` or `stderr` and the text that came.
OnOutput = Callable[[str, str], None]

#: Seconds a command may take to end after SIGTERM.
GRACE = 5.0
#: Seconds that output is still read after the command itself has ended, while others hold its pipes open.
LINGER = 0.2
_CHUNK = 65536
#: Seconds between two looks at a child where the system has no pidfd.
_POLL = 0.02
#: Seconds to wait for a process that was sent SIGKILL.
_REAP = 1.0
#: Characters of the last line of stderr that an error shows.
_SHOWN = 300


async def run_command(
    order: Command,
    *,
    output_limit: int = OUTPUT_LIMIT,
    on_output: OnOutput | None = None,
    grace: float = GRACE,
    watchdog: Watchdog | None = None,
) -> Outcome:
    """Run a command.

    Its process group is ended (SIGTERM, then SIGKILL after the grace) when it exceeds its timeout and when the awaiting
    task is cancelled; a second cancellation shortens the grace to nothing. A process that the command leaves behind
    in the background is left alone, and no longer listened to.

    Args:
        order: what to run.
        output_limit: bytes kept of each of stdout and stderr; of more, the head and the tail are kept.
        on_output: called with each piece of output as it comes.
        grace: seconds between SIGTERM and SIGKILL.
        watchdog: ends the command should this process be killed.

    Returns:
        The outcome. A command that can't be started, fails or takes too long is an outcome that is not `ok`.

    Raises:
        asyncio.CancelledError: the awaiting task was cancelled; the command has ended by then.
    """
    loop = asyncio.get_running_loop()
    begin = loop.time()
    try:
        running = _Running(order, output_limit, on_output, watchdog)
    except (OSError, ValueError) as error:
        rc, text = _start_error(order, error)
        return Outcome(ok=False, changed=False, rc=rc, error=text, seconds=loop.time() - begin)
    timed_out = False
    try:
        try:
            async with asyncio.timeout(order.timeout):
                await running.ended()
        except TimeoutError:
            timed_out = True
            await running.terminate(grace)
        except asyncio.CancelledError:
            await running.terminate(grace)
            raise
        await running.drained(LINGER)
    finally:
        running.close()
    rc = running.process.returncode
    _LOG.debug("process %d ended with %s", running.process.pid, "a timeout" if timed_out else f"exit code {rc}")
    outcome = Outcome(
        ok=rc == 0 and not timed_out,
        rc=rc,
        stdout=running.output["stdout"].text(),
        stderr=running.output["stderr"].text(),
        cut=running.output["stdout"].cut,
        timed_out=timed_out,
        seconds=loop.time() - begin,
    )
    if timed_out:
        outcome.error = f"it took longer than {order.timeout:g} s and was ended"
    elif rc != 0:
        outcome.error = _exit_error(rc, outcome.stderr)
    return outcome


class _Running:
    """A started command: its process, its pipes, and what it printed."""

    def __init__(
        self, order: Command, output_limit: int, on_output: OnOutput | None, watchdog: Watchdog | None
    ) -> None:
        if not order.argv:
            raise ValueError("it is empty")
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._watchdog = watchdog
        self.output = {"stdout": BoundedOutput(output_limit), "stderr": BoundedOutput(output_limit)}
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in self.output}
        argv = order.argv if order.shell is None else (order.shell, "-c", *order.argv)
        # a pipe of our own making, so that the watchdog knows the command by it before we know the command's id
        stdout, theirs = os.pipe()
        try:
            if watchdog is not None:
                watchdog.expect(theirs)
            self.process = subprocess.Popen(
                argv,
                bufsize=0,
                stdin=subprocess.DEVNULL if order.stdin is None else subprocess.PIPE,
                stdout=theirs,
                stderr=subprocess.PIPE,
                cwd=order.cwd,
                env=with_changes(os.environ, order.environment) if order.environment else None,
                start_new_session=True,
            )
        except BaseException:
            os.close(stdout)
            raise
        finally:
            os.close(theirs)
        _LOG.debug("started process %d of %s", self.process.pid, order.shell or order.argv[0])
        if watchdog is not None:
            watchdog.watch(self.process.pid)
        self._exit: asyncio.Future[None] = self._loop.create_future()
        self._drained: asyncio.Future[None] = self._loop.create_future()
        self._pipes: dict[str, IO[bytes]] = {}
        assert self.process.stderr is not None
        for name, pipe in (("stdout", os.fdopen(stdout, "rb", 0)), ("stderr", self.process.stderr)):
            os.set_blocking(pipe.fileno(), False)
            self._pipes[name] = pipe
            self._loop.add_reader(pipe.fileno(), self._read, name)
        if order.stdin is not None and self.process.stdin is not None:
            os.set_blocking(self.process.stdin.fileno(), False)
            self._input = memoryview(order.stdin.encode("utf-8", "surrogateescape"))
            # what fits into the pipe is written at once: an executor that is forked meanwhile would keep it open
            self._loop.add_writer(self.process.stdin.fileno(), self._write)
            self._write()
        self._pidfd = _open_pidfd(self.process.pid)
        if self._pidfd is None:
            self._loop.call_later(_POLL, self._poll)
        else:
            self._loop.add_reader(self._pidfd, self._on_exit)

    async def ended(self, seconds: float | None = None) -> None:
        """Wait until the process itself has ended; it is not reaped yet, so that its group's id stays its own."""
        if not self._exit.done():
            await asyncio.wait([self._exit], timeout=seconds)

    async def drained(self, seconds: float) -> None:
        """Wait until no process holds the output pipes any more, at most so long."""
        if not self._drained.done():
            await asyncio.wait([self._drained], timeout=seconds)

    async def terminate(self, grace: float) -> None:
        """End the whole group: SIGTERM, SIGKILL after the grace or as soon as the process and its pipes are gone."""
        try:
            self._signal(signal.SIGTERM)
            await asyncio.wait([self._exit, self._drained], timeout=grace)
        finally:
            self._signal(signal.SIGKILL)
        await self.ended(grace)

    def close(self) -> None:
        """Stop listening, and reap the process."""
        for name in list(self._pipes):
            self._close_pipe(name)
        self._close_stdin()
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
        if self._watchdog is not None:
            self._watchdog.release(self.process.pid)
        # it has ended, but for what could not be ended: SIGKILL takes a moment, and a process of another user no notice
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=_REAP)

    def _signal(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)

    def _on_exit(self) -> None:
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
        if not self._exit.done():
            self._exit.set_result(None)

    def _poll(self) -> None:
        if self.process.poll() is not None:
            self._on_exit()
        else:
            self._loop.call_later(_POLL, self._poll)

    def _read(self, name: str) -> None:
        try:
            chunk = os.read(self._pipes[name].fileno(), _CHUNK)
        except BlockingIOError:
            return
        if chunk:
            self.output[name].add(chunk)
        else:
            self._close_pipe(name)
        if self._on_output is not None:
            text = self._decoders[name].decode(chunk, final=not chunk)
            if text:
                self._on_output(name, text)

    def _close_pipe(self, name: str) -> None:
        pipe = self._pipes.pop(name)
        self._loop.remove_reader(pipe.fileno())
        pipe.close()
        if not self._pipes and not self._drained.done():
            self._drained.set_result(None)

    def _write(self) -> None:
        assert self.process.stdin is not None
        try:
            self._input = self._input[os.write(self.process.stdin.fileno(), self._input) :]
        except BlockingIOError:
            return
        except OSError:  # it does not read its input to the end, as is its right
            self._input = self._input[:0]
        if not self._input:
            self._close_stdin()

    def _close_stdin(self) -> None:
        if self.process.stdin is not None and not self.process.stdin.closed:
            self._loop.remove_writer(self.process.stdin.fileno())
            self.process.stdin.close()


def _open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _start_error(order: Command, error: OSError | ValueError) -> tuple[int | None, str]:
    """The exit code a shell would give for a command that can't be started, if it has one, and the reason in words."""
    if isinstance(error, ValueError):
        return None, f"the command can't be started: {error}"
    program = order.shell or (order.argv[0] if order.argv else "")
    if order.cwd is not None and error.filename == order.cwd:
        return None, f"the working directory {order.cwd} can't be entered: {error.strerror}"
    if error.errno == errno.ENOENT:
        return 127, f"command not found: {program}"
    if error.errno in (errno.EACCES, errno.ENOEXEC, errno.EISDIR):
        return 126, f"{program} can't be executed: {error.strerror}"
    return None, f"{program} can't be started: {error.strerror}"


def _exit_error(rc: int | None, stderr: str) -> str:
    if rc is None:
        return "it could not be ended"
    if rc < 0:
        try:
            return f"it was ended by {signal.Signals(-rc).name}"
        except ValueError:
            return f"it was ended by signal {-rc}"
    last = next((line.strip() for line in reversed(stderr.splitlines()) if line.strip()), "")
    return f"exit code {rc}" + (f": {last if len(last) <= _SHOWN else last[:_SHOWN] + '...'}" if last else "")
