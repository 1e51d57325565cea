"""Programs for a host's shell, run by the shells that there are."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ansible_ensemble.machines import shell
from ansible_ensemble.provision.agent.host import Script

FOUND = filter(None, map(shutil.which, ("sh", "dash", "bash", "busybox")))
SHELLS = list({os.path.realpath(path): path for path in FOUND}.values())


@pytest.fixture(params=SHELLS, ids=lambda path: Path(path).name)
def command(request: pytest.FixtureRequest) -> list[str]:
    return [request.param, "sh", "-s"] if request.param.endswith("busybox") else [request.param, "-s"]


def done(command: list[str], program: str) -> subprocess.CompletedProcess[str]:
    """What a program comes to, given as an agent gives it."""
    return subprocess.run(
        command, input=shell.whole(program), capture_output=True, text=True, errors="surrogateescape", check=False
    )


def printed(command: list[str], program: str) -> str:
    run = done(command, program)
    assert run.returncode == 0, run.stderr
    return run.stdout


def script(folder: Path, text: str, **more: object) -> Script:
    path = folder / "it's a script"
    path.write_text(text)
    path.chmod(0o700)
    return Script(path=str(path), folder=str(folder), **more)  # type: ignore[arg-type]


def ended(command: list[str], one: Script) -> tuple[shell.Part, bytes]:
    """The last part of a script, and all that it printed."""
    state = one.path + shell.STATE
    part, output = shell.part_of(printed(command, shell.start(one, state))), b""
    while True:
        output += part.output
        if part.is_last:
            return part, output
        part = shell.part_of(printed(command, shell.look(state, len(output))))


def test_a_program_that_is_cut_short_does_nothing(command: list[str], tmp_path: Path) -> None:
    text = shell.whole(f"touch {tmp_path}/first\ntouch {tmp_path}/second")
    subprocess.run(command, input=text[:-30], capture_output=True, text=True, check=False)
    assert list(tmp_path.iterdir()) == []


def test_a_program_does_not_read_its_own_text(command: list[str]) -> None:
    assert printed(command, "cat\necho after") == "after\n"


@pytest.mark.parametrize("parent", ["", "new/folder with spaces"])
def test_a_folder_is_its_owners_alone_and_goes_with_what_is_in_it(
    command: list[str], tmp_path: Path, parent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    under = str(tmp_path / parent) if parent else ""
    folder = Path(printed(command, shell.make_folder(under, "runner-")).strip())
    assert folder.name.startswith("runner-")
    assert folder.parent == tmp_path / parent
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "file").touch()
    printed(command, shell.remove_folder(str(folder)))
    printed(command, shell.remove_folder(str(folder)))
    assert not folder.exists()


@pytest.mark.parametrize("content", ["", "plain\n", "no end", "it's $HOME `x` \\n %s\r\n", "héß\n" * 40_000])
def test_what_is_written_is_there(command: list[str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "new one" / "file"
    assert done(command, shell.exists(str(path))).returncode
    printed(command, shell.write(str(path), content, 0o640))
    assert path.read_bytes() == content.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert done(command, shell.exists(str(path))).returncode == 0


@pytest.mark.parametrize("status", [0, 1, 64, 192, 255])
def test_a_script_prints_and_ends_with_a_status(command: list[str], tmp_path: Path, status: int) -> None:
    text = f"#!/bin/sh\npwd\necho \"$SAID\" >&2\nprintf '\\377\\000'\nread line || echo no input\nexit {status}\n"
    part, output = ended(command, script(tmp_path, text, environment={"SAID": "it's 'me' $x"}))
    assert (part.status, part.lost) == (status, False)
    assert output == f"{tmp_path}\nit's 'me' $x\n".encode() + b"\xff\x00no input\n"


def test_a_script_goes_on_after_its_start(command: list[str], tmp_path: Path) -> None:
    one = script(tmp_path, f"#!/bin/sh\necho begun\nuntil [ -e {tmp_path}/go ]; do sleep 0.02; done\necho over\n")
    state = one.path + shell.STATE
    first = shell.part_of(printed(command, shell.start(one, state)))
    while not first.output:
        first = shell.part_of(printed(command, shell.look(state, 0)))
    assert (first.output, first.is_last) == (b"begun\n", False)
    again = shell.part_of(printed(command, shell.start(one, state)))
    assert again.output == b"begun\n", "it is not started twice"
    (tmp_path / "go").touch()
    output = b""
    while not (part := shell.part_of(printed(command, shell.look(state, 6)))).is_last:
        pass
    output = part.output
    assert (output, part.status) == (b"over\n", 0)


def test_an_interpreter_gets_the_script(command: list[str], tmp_path: Path) -> None:
    part, output = ended(command, script(tmp_path, 'echo "$-"\n', interpreter="/bin/sh -u"))
    assert part.status == 0
    assert b"u" in output


def test_a_script_without_an_interpreter_does_not_run(command: list[str], tmp_path: Path) -> None:
    part, output = ended(command, script(tmp_path, "echo run\n"))
    assert part.status == 126
    assert b"no interpreter in its first line" in output


def test_a_script_may_print_more_than_a_part(command: list[str], tmp_path: Path) -> None:
    size = 2 * shell.PART + 7
    part, output = ended(command, script(tmp_path, f"#!/bin/sh\nhead -c {size} /dev/zero\n"))
    assert (part.status, output) == (0, bytes(size))


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def awaited(path: Path) -> str:
    while not (path.exists() and path.read_text().endswith("\n")):
        time.sleep(0.01)
    return path.read_text()


@pytest.mark.parametrize("stop", ["one", "all"])
def test_a_stop_ends_all_processes_of_a_script(command: list[str], tmp_path: Path, stop: str) -> None:
    one = script(tmp_path, f"#!/bin/sh\nsleep 1000 &\necho $! $$ >{tmp_path}/pids\nwait\n")
    state = one.path + shell.STATE
    printed(command, shell.start(one, state))
    pids = [int(word) for word in awaited(tmp_path / "pids").split()]
    printed(command, shell.stop(state) if stop == "one" else shell.stop_all(str(tmp_path)))
    assert all(map(gone, pids))
    assert shell.part_of(printed(command, shell.look(state, 0))).lost


def test_a_script_that_was_killed_is_lost(command: list[str], tmp_path: Path) -> None:
    one = script(tmp_path, "#!/bin/sh\nsleep 1000\n")
    state = one.path + shell.STATE
    printed(command, shell.start(one, state))
    os.killpg(int(Path(state, "pid").read_text()), signal.SIGKILL)
    while not (part := shell.part_of(printed(command, shell.look(state, 0)))).is_last:
        pass
    assert (part.lost, part.status) == (True, None)


def test_a_script_of_another_boot_is_lost_and_nothing_is_ended_for_it(command: list[str], tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    try:
        state = tmp_path / f"script{shell.STATE}"
        state.mkdir()
        (state / "boot").write_text("another")
        (state / "pid").write_text(f"{other.pid}\n")
        (state / "output").write_text("begun\n")
        part = shell.part_of(printed(command, shell.look(str(state), 0)))
        assert (part.output, part.lost) == (b"begun\n", True)
        printed(command, shell.stop(str(state)))
        printed(command, shell.stop_all(str(tmp_path)))
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_what_says_nothing_of_a_script_is_an_error() -> None:
    with pytest.raises(ValueError, match="has not said"):
        shell.part_of("Welcome!\n")


def test_a_host_may_greet() -> None:
    assert shell.part_of("Welcome!\nensemble-script:3\nout") == shell.Part(b"out", 3)


def test_a_boot_and_a_system_are_known(command: list[str]) -> None:
    assert len(printed(command, shell.BOOT).split()) == 2
    assert printed(command, shell.BOOT) == printed(command, shell.BOOT)
    assert printed(command, shell.SYSTEM).strip() == os.uname().sysname
