"""Hosts of an inventory do what an agent needs of a machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.machines.ansible_process import AnsibleProcess
from ansible_ensemble.machines.inventory_host import InventoryHost
from ansible_ensemble.provision.agent.host import HostFailed, Script
from tests.integration.machines.conftest import Use
from tests.integration.sshd import Servers


@pytest.fixture(params=["inventory", "by_ssh"])
def hosts(request: pytest.FixtureRequest, use: Callable[[Path], Use]) -> Use:
    """Work with the hosts of each kind of inventory."""
    return use(request.getfixturevalue(request.param))


async def first(ansible: AnsibleProcess) -> InventoryHost:
    return InventoryHost(ansible, (await ansible.hosts("all"))[0])


class Heard:
    """The output of what runs."""

    def __init__(self) -> None:
        self.data = b""
        self._more = asyncio.Event()

    async def take(self, data: bytes) -> None:
        self.data += data
        self._more.set()

    async def until(self, data: bytes) -> None:
        while data not in self.data:
            await self._more.wait()
            self._more.clear()


async def prepared(host: InventoryHost, text: str, **more: Any) -> Script:
    folder = await host.make_folder("", "runner-")
    await host.write(f"{folder}/task/script", text, 0o700)
    return Script(f"{folder}/task/script", f"{folder}/task", **more)


def test_files_and_folders(hosts: Use, tmp_path: Path) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        host = await first(ansible)
        assert await host.system() == os.uname().sysname.lower()
        assert await host.boot() == await host.boot() != ""
        folder = Path(await host.make_folder(str(tmp_path / "below"), "runner-"))
        assert folder.parent == tmp_path / "below"
        await host.write(str(folder / "sub" / "file"), "it's here\n", 0o600)
        assert (folder / "sub" / "file").read_text() == "it's here\n"
        assert await host.exists(str(folder / "sub" / "file"))
        await host.remove_folder(str(folder))
        assert not await host.exists(str(folder))
        with pytest.raises(HostFailed, match="null byte"):
            await host.write(str(folder), "a\0b", 0o600)
        (tmp_path / "file").touch()
        with pytest.raises(HostFailed, match=r"(here|one): .*file"):
            await host.write(str(tmp_path / "file" / "below"), "", 0o600)

    hosts(work)


def test_a_scripts_output_is_heard_while_it_runs(hosts: Use, tmp_path: Path) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        host, heard = await first(ansible), Heard()
        go = tmp_path / "go"
        text = f"#!/bin/sh\necho $A\nuntil [ -e {go} ]; do sleep 0.02; done\nprintf '\\377end' >&2\nexit 64\n"
        script = await prepared(host, text, environment={"A": "first line"})
        running = asyncio.create_task(host.run(script, heard.take))
        await heard.until(b"first line\n")
        go.touch()
        assert await running == 64
        assert heard.data == b"first line\n\xffend"

    hosts(work)


def test_a_script_that_is_cancelled_has_ended(hosts: Use) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        host, heard = await first(ansible), Heard()
        script = await prepared(host, "#!/bin/sh\nsleep 1000 & echo $! $$; wait\n")
        running = asyncio.create_task(host.run(script, heard.take))
        await heard.until(b"\n")
        pids = [int(word) for word in heard.data.split()]
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        assert not [pid for pid in pids if lives(pid)]

    hosts(work)


def test_scripts_of_an_agent_that_is_gone_are_ended(hosts: Use) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        host, heard = await first(ansible), Heard()
        script = await prepared(host, "#!/bin/sh\necho $$; sleep 1000\n")
        running = asyncio.create_task(host.run(script, heard.take))
        await heard.until(b"\n")
        await host.end_scripts(script.folder)
        with pytest.raises(HostFailed, match="was killed"):
            await running
        assert not lives(int(heard.data))

    hosts(work)


def lives(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def test_a_lost_connection_loses_no_script(use: Callable[[Path], Use], by_ssh: Path, servers: Servers) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        host, heard = InventoryHost(ansible, "one"), Heard()
        go = servers.work / "go"
        script = await prepared(host, f"#!/bin/sh\necho begun\nuntil [ -e {go} ]; do sleep 0.02; done\necho over\n")
        running = asyncio.create_task(host.run(script, heard.take))
        await heard.until(b"begun\n")
        for connection in servers.control.iterdir():
            subprocess.run(["ssh", "-O", "exit", "-S", connection, "-"], capture_output=True, check=False)
        go.touch()
        assert await running == 0
        assert heard.data == b"begun\nover\n"

    use(by_ssh)(work)


def test_a_host_that_cannot_be_reached_is_told(use: Callable[[Path], Use], tmp_path: Path) -> None:
    path = tmp_path / "none.ini"
    path.write_text("gone ansible_host=127.0.0.1 ansible_port=1 ansible_connection=ssh\n")

    async def work(ansible: AnsibleProcess) -> None:
        host = InventoryHost(ansible, "gone", patience=0)
        with pytest.raises(HostFailed, match="gone cannot be reached"):
            await host.boot()
        with pytest.raises(HostFailed, match="gone cannot be reached"):
            await host.run(Script("/tmp/x", "/tmp"), Heard().take)

    use(path)(work)


def stand_in(path: Path, folder: Path, said: dict[str, Any]) -> Path:
    """The inventory, whose host `one` has commands of its own for the power; its boots are lines of a file."""
    boots = folder / "boots"
    boots.write_text("first\n")
    reboot = folder / "reboot"
    reboot.write_text(f"#!/bin/sh\nid -u >>{boots}\necho $# >>{boots}\n")
    reboot.chmod(0o700)
    given = json.loads(path.read_text())
    given["all"]["hosts"]["one"] |= {
        "provision_reboot": {
            "reboot_command": str(reboot),
            "boot_time_command": f"wc -l {boots}",
            "reboot_timeout": 60,
        },
        "provision_poweroff": f"echo off >>{boots}",
        **said,
    }
    path.write_text(json.dumps(given))
    return boots


def test_a_reboot_is_waited_for(use: Callable[[Path], Use], by_ssh: Path, servers: Servers) -> None:
    boots = stand_in(by_ssh, servers.work, {})

    async def work(ansible: AnsibleProcess) -> None:
        host = InventoryHost(ansible, "one")
        assert not await host.kexec_ready()
        assert await host.reboot() is True
        assert boots.read_text().startswith("first\n")
        assert len(boots.read_text().splitlines()) == 3
        await host.poweroff()
        assert boots.read_text().endswith("off\n")

    use(by_ssh)(work)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"provision_reboot": {"reboot_command": "/bin/false"}}, "one was not rebooted: Reboot command failed"),
        ({"provision_reboot": "now"}, "provision_reboot of one is no map"),
        ({"provision_reboot": "{{ missing }}"}, "provision_reboot of the host one fails"),
    ],
)
def test_a_reboot_that_fails_is_told(
    use: Callable[[Path], Use], by_ssh: Path, servers: Servers, said: dict[str, Any], message: str
) -> None:
    stand_in(by_ssh, servers.work, {**said, "provision_poweroff": "exit 3"})

    async def work(ansible: AnsibleProcess) -> None:
        host = InventoryHost(ansible, "one")
        with pytest.raises(HostFailed, match=message):
            await host.reboot()
        with pytest.raises(HostFailed, match="exit code 3"):
            await host.poweroff()

    use(by_ssh)(work)


def test_the_machine_that_ansible_runs_on_is_not_rebooted(use: Callable[[Path], Use], inventory: Path) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        with pytest.raises(HostFailed, match="would reboot the control node"):
            await InventoryHost(ansible, "here").reboot()

    use(inventory)(work)


def test_a_host_is_driven_as_another_user(use: Callable[[Path], Use], by_ssh: Path) -> None:
    """`su` takes no input: then programs are files."""
    if os.geteuid():
        pytest.skip("becoming another user without a password needs root")
    given = json.loads(by_ssh.read_text())
    become = {"ansible_become": True, "ansible_become_user": "nobody", "ansible_become_method": "su"}
    given["all"]["hosts"]["one"] |= {**become, "ansible_become_flags": "-s /bin/sh"}
    by_ssh.write_text(json.dumps(given))

    async def work(ansible: AnsibleProcess) -> None:
        host, heard = InventoryHost(ansible, "one"), Heard()
        script = await prepared(host, "#!/bin/sh\nid -un\n")
        assert await host.run(script, heard.take) == 0
        assert heard.data == b"nobody\n"

    use(by_ssh)(work)


def test_patterns_name_hosts(use: Callable[[Path], Use], by_ssh: Path) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        assert await ansible.hosts("all") == ["one", "two"]
        assert await ansible.hosts("all:!one") == ["two"]
        with pytest.raises(HostFailed, match="No host of the inventory matches three"):
            await ansible.hosts("three")

    use(by_ssh)(work)


def test_what_ansible_cannot_answer_is_told(use: Callable[[Path], Use], inventory: Path) -> None:
    async def work(ansible: AnsibleProcess) -> None:
        os.kill(ansible._pid, 9)
        await ansible.ended()
        with pytest.raises(HostFailed, match="Ansible's process has ended"):
            await InventoryHost(ansible, "here").boot()

    use(inventory)(work)
