"""The worker for commands: how they start, what they print, and how they end."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from pathlib import Path

import pytest

from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.execution import process
from ansible_ensemble.execution.process import run_command


def sh(script: str, **more: object) -> Command:
    return Command((script,), shell="/bin/sh", **more)  # type: ignore[arg-type]


def run(order: Command, **more: object) -> Outcome:
    return asyncio.run(run_command(order, **more))  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def gone(pid: int) -> None:
    while alive(pid):
        await asyncio.sleep(0.01)


def test_a_command() -> None:
    outcome = run(Command(("printf", "%s|", "a b", "$x", "é")))
    assert (outcome.ok, outcome.changed, outcome.rc, outcome.stdout) == (True, None, 0, "a b|$x|é|")
    assert (outcome.stderr, outcome.error, outcome.lane) == ("", None, "process")
    assert outcome.seconds > 0


def test_a_shell_command() -> None:
    assert run(sh("echo out; echo err >&2; echo $((1 + 1))")).stdout == "out\n2\n"


def test_where_and_with_what_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "kept")
    monkeypatch.setenv("BOTH", "ours")
    outcome = run(sh('pwd; echo "$OURS $BOTH"; cat', cwd=str(tmp_path), environment={"BOTH": "its own"}, stdin="in\n"))
    assert outcome.stdout == f"{tmp_path}\nkept its own\nin\n"


def test_a_process_that_is_forked_meanwhile_does_not_keep_its_input_open() -> None:
    async def both() -> tuple[Outcome, int]:
        waiting = asyncio.create_task(run_command(Command(("cat",), stdin="in\n")))
        await asyncio.sleep(0)
        pid = os.fork()
        if not pid:
            signal.pause()
        try:
            return await asyncio.wait_for(waiting, 60), pid
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    outcome, _pid = asyncio.run(both())
    assert outcome.stdout == "in\n"


def test_without_input_it_reads_nothing() -> None:
    assert run(Command(("cat",))).ok


def test_more_input_than_a_pipe_holds() -> None:
    text = "é" * 500_000
    assert run(sh("wc -c", stdin=text)).stdout.strip() == "1000000"
    assert run(sh("exec <&-; echo x", stdin=text)).stdout == "x\n"


FAILURES = [
    (sh("exit 3"), 3, "exit code 3"),
    (sh("echo first >&2; echo ' why ' >&2; echo >&2; exit 1"), 1, "exit code 1: why"),
    (sh("kill -9 $$"), -9, "it was ended by SIGKILL"),
    (sh("kill -40 $$"), -40, "it was ended by signal 40"),
]


@pytest.mark.parametrize(("order", "rc", "error"), FAILURES, ids=lambda value: str(value)[:30])
def test_a_command_that_fails(order: Command, rc: int, error: str) -> None:
    outcome = run(order)
    assert (outcome.ok, outcome.rc, outcome.error, outcome.changed) == (False, rc, error, None)


NOT_STARTED = [
    (Command(("no-such-command",)), 127, "command not found: no-such-command"),
    (Command(("x",), shell="/no/shell"), 127, "command not found: /no/shell"),
    (Command(("/etc/passwd",)), 126, "/etc/passwd can't be executed: Permission denied"),
    (Command(("/tmp",)), 126, "/tmp can't be executed: Permission denied"),
    (Command(("true",), cwd="/no/folder"), None, "the working directory /no/folder can't be entered: No such file"),
    (
        Command(("true",), cwd="/etc/passwd"),
        None,
        "the working directory /etc/passwd can't be entered: Not a directory",
    ),
    (Command(("true", "a\0b")), None, "the command can't be started: embedded null byte"),
    (Command(("true",), environment={"A=B": "c"}), None, "the command can't be started: illegal environment variable"),
    (Command(("true", "x" * 5_000_000)), None, "true can't be started: Argument list too long"),
    (Command(()), None, "the command can't be started"),
    (Command(("true", "\ud800")), None, "the command can't be started"),
]


@pytest.mark.parametrize(("order", "rc", "error"), NOT_STARTED, ids=[case[2][:50] for case in NOT_STARTED])
def test_a_command_that_cannot_be_started(order: Command, rc: int | None, error: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    outcome = run(order)
    assert (outcome.ok, outcome.changed, outcome.rc) == (False, False, rc)
    assert outcome.error is not None
    assert outcome.error.startswith(error)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_program_without_a_first_line(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("echo hello\n")
    program.chmod(0o755)
    outcome = run(Command((str(program),)))
    assert (outcome.rc, outcome.error) == (126, f"{program} can't be executed: Exec format error")


def test_invalid_utf8() -> None:
    assert run(sh(r"printf 'a\377b\303'")).stdout == "a\ufffdb\ufffd"


def test_a_gigabyte_of_output_costs_no_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = run(sh("yes 0123456789abcde | head -c 1000000000; echo end"), output_limit=10_000)
    assert outcome.ok
    assert outcome.stdout.startswith("0123456789abcde\n")
    assert outcome.stdout.endswith("end\n")
    assert "\n[... 999990004 bytes cut ...]\n" in outcome.stdout
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_output_is_seen_as_it_comes(tmp_path: Path) -> None:
    pieces: list[tuple[str, str]] = []
    script = r"printf 'one\n\303'; until [ -e go ]; do sleep 0.01; done; printf '\251\n' >&2; printf '\251'"

    async def main() -> Outcome:
        seen = asyncio.Event()

        def on_output(name: str, text: str) -> None:
            pieces.append((name, text))
            seen.set()

        task = asyncio.ensure_future(run_command(sh(script, cwd=str(tmp_path)), on_output=on_output))
        await seen.wait()
        assert pieces == [("stdout", "one\n")], "a character of which half is there is not shown yet"
        (tmp_path / "go").touch()
        return await task

    outcome = asyncio.run(main())
    assert outcome.stdout == "one\né"
    assert "".join(text for name, text in pieces if name == "stdout") == outcome.stdout
    assert "".join(text for name, text in pieces if name == "stderr") == outcome.stderr


def test_a_process_left_in_the_background_is_not_waited_for() -> None:
    outcome = run(sh("sleep 60 & echo $!"))
    pid = int(outcome.stdout)
    assert outcome.ok
    assert alive(pid)
    assert outcome.seconds < 30
    os.kill(pid, signal.SIGKILL)


def test_what_is_printed_right_before_the_end_is_there() -> None:
    outcome = run(sh("(sleep 60 &) ; head -c 60000 /dev/zero | tr '\\0' x"), output_limit=200_000)
    assert outcome.stdout == "x" * 60_000


def test_a_command_of_its_own_session() -> None:
    outcome = run(Command((sys.executable, "-c", "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())")))
    assert outcome.stdout == "True\n"


IGNORES_TERM = "trap '' TERM; echo $$; (trap '' TERM; sleep 60) & echo $!; wait; wait"


def test_timeout_ends_the_group() -> None:
    outcome = run(sh("sleep 60 & echo $$ $!; wait", timeout=2.0))
    assert (outcome.ok, outcome.timed_out, outcome.rc) == (False, True, -signal.SIGTERM)
    assert outcome.error == "it took longer than 2 s and was ended"
    for pid in map(int, outcome.stdout.split()):
        asyncio.run(gone(pid))


def test_a_group_that_ignores_sigterm_is_killed() -> None:
    outcome = run(sh(IGNORES_TERM, timeout=2.0), grace=0.2)
    assert (outcome.timed_out, outcome.rc) == (True, -signal.SIGKILL)
    pids = [int(pid) for pid in outcome.stdout.split()]
    assert len(pids) == 2
    for pid in pids:
        asyncio.run(gone(pid))


def test_a_grandchild_that_ignores_sigterm_is_killed_when_its_parent_is_gone() -> None:
    outcome = run(sh("(trap '' TERM; sleep 60; sleep 60) & echo $!; wait", timeout=2.0), grace=0.3)
    assert outcome.rc == -signal.SIGTERM
    asyncio.run(gone(int(outcome.stdout)))


def test_it_may_end_by_itself_within_the_grace() -> None:
    outcome = run(sh("trap 'echo bye; exit 7' TERM; echo go; sleep 60 & wait", timeout=2.0))
    assert (outcome.timed_out, outcome.ok, outcome.rc, outcome.stdout) == (True, False, 7, "go\nbye\n")


async def cancelled(order: Command, times: int, grace: float) -> list[int]:
    """Cancel a command once it has printed its processes; return them."""
    text: list[str] = []
    seen = asyncio.Event()

    def on_output(_: str, piece: str) -> None:
        text.append(piece)
        if "".join(text).count("\n") == 2:
            seen.set()

    task = asyncio.ensure_future(run_command(order, on_output=on_output, grace=grace))
    await seen.wait()
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0.05)
    with pytest.raises(asyncio.CancelledError):
        await task
    pids = [int(pid) for pid in "".join(text).split()]
    for pid in pids:
        await gone(pid)
    return pids


def test_cancelling_ends_the_group() -> None:
    assert len(asyncio.run(cancelled(sh("echo $$; sleep 60 & echo $!; wait"), 1, 60.0))) == 2


def test_cancelling_twice_does_not_wait_for_the_grace() -> None:
    assert len(asyncio.run(cancelled(sh(IGNORES_TERM), 2, 600.0))) == 2


def test_nothing_is_left_open() -> None:
    async def main() -> None:
        for order in [Command(("true",)), sh("cat", stdin="x"), sh("sleep 9 & sleep 9", timeout=0.05), sh("sleep 9 &")]:
            await run_command(order)

    async def count() -> tuple[int, int]:
        before = len(list(Path("/proc/self/fd").iterdir()))
        await main()
        return before, len(list(Path("/proc/self/fd").iterdir()))

    before, after = asyncio.run(count())
    assert before == after
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_many_at_a_time() -> None:
    async def main() -> list[Outcome]:
        return await asyncio.gather(*(run_command(sh(f"cat; exit {n}", stdin=str(n))) for n in range(50)))

    outcomes = asyncio.run(main())
    assert [outcome.rc for outcome in outcomes] == list(range(50))
    assert [outcome.stdout for outcome in outcomes] == [str(n) for n in range(50)]


def test_without_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no pidfd, the end is found by looking."""
    monkeypatch.delattr(os, "pidfd_open")
    assert run(sh("echo x; exit 4")).rc == 4
    assert run(sh("sleep 60", timeout=0.2)).rc == -signal.SIGTERM


def test_a_process_that_cannot_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of another user takes no signal from us."""

    def refuse(group: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(process.os, "killpg", refuse)
    monkeypatch.setattr(process, "_REAP", 0.01)
    outcome = run(sh("echo $$; exec sleep 60", timeout=2.0), grace=0.1)
    monkeypatch.undo()
    assert (outcome.ok, outcome.timed_out, outcome.rc) == (False, True, None)
    os.kill(int(outcome.stdout), signal.SIGKILL)
