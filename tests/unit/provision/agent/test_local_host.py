"""This machine as an agent's host."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.provision.agent.host import HostFailed, Playbook, Script
from ansible_ensemble.provision.agent.local_host import LocalHost, PowerCommands

HARMLESS = PowerCommands(("false",), ("false",), ("false",))


def _host(folder: Path, **said: Any) -> LocalHost:
    return LocalHost(**{"power": HARMLESS, "environment": {"PATH": os.environ["PATH"], "TMPDIR": str(folder)}, **said})


async def _ran(folder: Path, text: str, host: LocalHost | None = None, **said: Any) -> tuple[int, bytes]:
    path, said_by_it = folder / "script", bytearray()
    path.write_text(text)
    path.chmod(0o700)

    async def output(data: bytes) -> None:
        said_by_it.extend(data)

    script = Script(str(path), str(folder), **said)
    return await (host or _host(folder)).run(script, output), bytes(said_by_it)


@pytest.mark.parametrize(
    ("text", "said", "status", "output"),
    [
        ("#!/bin/sh\necho out; echo err >&2; exit 7\n", {}, 7, b"out\nerr\n"),
        ("#!/bin/sh\nkill -9 $$\n", {}, -9, b""),
        ("#!/bin/sh\nread line || echo nothing\n", {}, 0, b"nothing\n"),
        ("#!/bin/sh\necho $COLOUR\n", {"environment": {"COLOUR": "red"}}, 0, b"red\n"),
        ("print(6 * 7)\n", {"interpreter": "python3"}, 0, b"42\n"),
        ("print(6 * 7)\n", {"interpreter": "python3 -B"}, 0, b"42\n"),
        ("#!/bin/sh\nsleep 600 & echo $!\n", {}, 0, None),
    ],
)
def test_a_script(tmp_path: Path, text: str, said: dict[str, Any], status: int, output: bytes | None) -> None:
    ended, printed = asyncio.run(_ran(tmp_path, text, **said))
    assert ended == status
    if output is None:
        os.kill(int(printed), signal.SIGKILL)  # what it left behind is still there
    else:
        assert printed == output


def test_what_scripts_are_not_told(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "RS_KEY": "user:secret"}
    host = _host(tmp_path, environment=environment)
    script = '#!/bin/sh\necho "$RS_KEY|$HOME"\n'
    assert asyncio.run(_ran(tmp_path, script, host, environment={"RS_RUNNER_DIR": "/r"})) == (0, b"|/r\n")
    host = _host(tmp_path, environment={**environment, "HOME": "/h"})
    assert asyncio.run(_ran(tmp_path, script, host, environment={"RS_RUNNER_DIR": "/r"})) == (0, b"|/h\n")


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def _written(file: Path) -> int:
    while not file.exists() or not file.read_text().strip():
        await asyncio.sleep(0.01)
    return int(file.read_text())


def test_a_script_that_is_cancelled_ends_with_all_that_it_began(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    async def main() -> None:
        text = f"#!/bin/sh\ntrap '' TERM\nsh -c 'sleep 600 & echo $! >{pid}; wait' &\nexec sleep 600\n"
        running = asyncio.create_task(_ran(tmp_path, text, _host(tmp_path, grace=0.1)))
        process = await _written(pid)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        while _is_alive(process):
            await asyncio.sleep(0.01)

    asyncio.run(main())


def test_what_is_left_of_jobs_that_did_not_end_is_ended(tmp_path: Path) -> None:
    async def main() -> None:
        pids, host = {}, _host(tmp_path)
        for job in ("left", "ended"):
            folder = tmp_path / "agent" / job
            folder.mkdir(parents=True)
            text = f"#!/bin/sh\nsetsid sh -c 'echo $$ >{folder}/pid; exec sleep 600' &\n"
            await _ran(folder, text, environment={"RS_TASK_DIR": str(folder)})
            pids[job] = await _written(folder / "pid")
        await host.remove_folder(str(tmp_path / "agent" / "ended"))
        await host.end_scripts(str(tmp_path / "agent"))
        while _is_alive(pids["left"]):
            await asyncio.sleep(0.01)
        assert _is_alive(pids["ended"])  # a service, say
        os.kill(pids["ended"], signal.SIGKILL)

    asyncio.run(main())


def test_files_and_folders(tmp_path: Path) -> None:
    async def main() -> None:
        host = _host(tmp_path)
        folder = Path(await host.make_folder("", "a/b-"))
        assert (folder.parent, folder.stat().st_mode & 0o777) == (tmp_path, 0o700)
        below = Path(await host.make_folder(str(folder / "new"), "c-"))
        assert below.parent == folder / "new"
        file = below / "deep" / "file"
        for mode in (0o600, 0o755):
            await host.write(str(file), "text ü", mode)
            assert (file.read_text(), file.stat().st_mode & 0o777) == ("text ü", mode)
        assert await host.exists(str(file))
        for _ in range(2):
            await host.remove_folder(str(folder))
        assert not await host.exists(str(folder))

    asyncio.run(main())


Step = Callable[[LocalHost], Awaitable[object]]


async def _nowhere(data: bytes) -> None:
    raise AssertionError(data)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda host: host.run(Script("/nowhere/script", "/"), _nowhere), "No such file or directory"),
        (lambda host: host.make_folder(f"{host.environment['TMPDIR']}/file/x", "a"), "Not a directory"),
        (lambda host: host.write(f"{host.environment['TMPDIR']}/file/x", "", 0o600), "File exists"),
        (lambda host: host.reboot(), "^false ended with 1$"),
        (lambda host: host.poweroff(), "^false ended with 1$"),
        (lambda host: host.kexec(), "^false ended with 1$"),
        (
            lambda host: host.play(Playbook("play.yml", ""), _nowhere),
            "play.yml: this agent does not run Ansible's tasks",
        ),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, step: Step, message: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostFailed, match=message):
        asyncio.run(step(_host(tmp_path)))  # type: ignore[arg-type]


def test_the_power(tmp_path: Path) -> None:
    async def main() -> None:
        said = {word: ("sh", "-c", f"echo {word} >>{tmp_path}/power") for word in ("reboot", "poweroff", "kexec")}
        host = _host(tmp_path, power=PowerCommands(**said))
        assert await host.kexec() is False
        assert await host.reboot() is False
        await host.poweroff()
        assert (tmp_path / "power").read_text().split() == ["kexec", "reboot", "poweroff"]
        missing = _host(tmp_path, power=PowerCommands(reboot=(f"{tmp_path}/missing",)))
        with pytest.raises(HostFailed, match="No such file"):
            await missing.reboot()

    asyncio.run(main())


def test_the_boot(tmp_path: Path) -> None:
    async def main() -> None:
        assert await _host(tmp_path, boot_id="mine").boot() == "mine"
        assert await _host(tmp_path).boot() == await _host(tmp_path).boot()
        assert (await _host(tmp_path).system()) == os.uname().sysname.lower()

    asyncio.run(main())


def test_a_script_that_cannot_be_started_leaves_nothing_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(2):
        with pytest.raises(HostFailed):
            asyncio.run(_ran(tmp_path, "no program\n"))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_path_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HostFailed, match="null byte"):
        asyncio.run(_host(tmp_path).write(f"{tmp_path}/a\0b", "", 0o600))


def test_a_folder_below_the_working_directory_has_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = asyncio.run(_host(tmp_path).make_folder("below", "job-"))
    assert Path(folder).parent == tmp_path / "below"
    assert asyncio.run(_ran(Path(folder), "#!/bin/sh\necho out\n")) == (0, b"out\n")
