"""The remote lane where something goes wrong: nothing is lost, nothing runs twice, nothing stays on the host."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import Host, ModuleCall, Outcome
from ansible_ensemble.core.sensitive import SensitiveMap, SensitiveStr
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from tests.integration.sshd import SSHD, Servers, serving
from tests.matrix import sampled

from .test_differential import plain
from .test_lanes import running, shell, until, use

pytestmark = pytest.mark.skipif(SSHD is None, reason="sshd is not installed")
BOTH = pytest.mark.parametrize("fast", sampled([True, False], 2))
#: Takes its options as sudo does, ...
OPTIONS = """#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        -p) prompt=$2; shift 2;;
        -u) shift 2;;
        -*) shift;;
        *) break;;
    esac
done
"""
#: ... and asks as sudo does, and knows one password.
ASKING = """
printf %s "$prompt" >&2
read -r password
[ "$password" = right ] || { echo 'Sorry, try again.' >&2; exit 1; }
exec "$@"
"""
BECOME = {"ansible_become": True, "ansible_become_method": "sudo", "ansible_become_user": "nobody"}
#: Tells who the kept process is: a shell's parent is a module's process, and that is its child.
KEPT = "ps -o ppid= -p $PPID"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(tmp_path_factory.mktemp("ssh") / "servers", ["web1"]) as servers:
        yield servers


def host(server: Servers, **more: Any) -> Host:
    address = {"ansible_host": "127.0.0.1", "ansible_port": server.ports["web1"]}
    return Host("web1", {**server.variables(Path("/dev/null")), **address, **more})


def run(*orders: ModuleCall, **options: Any) -> list[Outcome]:
    async def work(lanes: AnsibleLanes) -> list[Outcome]:
        return [await lanes.run(order) for order in orders]

    outcomes: list[Outcome] = use(work, **options)[0]
    return outcomes


def kept(outcome: Outcome) -> int:
    """The kept process that an order of `KEPT` has found."""
    assert (outcome.ok, outcome.lane) == (True, "remote"), outcome.error
    return int(outcome.stdout)


async def written(path: Path) -> int:
    """The number that something writes into a file."""
    await until(lambda: path.exists() and path.read_text().strip() != "")
    return int(path.read_text())


def test_one_process_runs_all_and_ends_with_the_job(server: Servers) -> None:
    orders = [shell(KEPT, host=host(server)) for _turn in range(3)]

    async def work(lanes: AnsibleLanes) -> list[Outcome]:
        return list(await asyncio.gather(*(lanes.run(order) for order in orders)))

    pids = {kept(outcome) for outcome in use(work, executors=3)[0]}
    assert len(pids) == 1
    asyncio.run(until(lambda: not running(pids.pop()) if pids else True))


def test_modules_on_the_controller_beside_those_of_hosts(server: Servers) -> None:
    ping = ModuleCall("ansible.builtin.ping")
    outcomes = run(ModuleCall("ansible.builtin.ping", host=host(server)), ping, ping, executors=1)
    assert [outcome.lane for outcome in outcomes] == ["remote", "fast", "fast"]


def test_more_connections_than_descriptors_that_a_process_has_at_first(server: Servers) -> None:
    count = 14
    orders = [
        ModuleCall("ansible.builtin.ping", host=host(server, ansible_ssh_extra_args=f"-o ServerAliveInterval={number}"))
        for number in range(100, 100 + count)
    ]
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = len(list(Path("/proc/self/fd").iterdir())) + 2 * count
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, before[1]))
    try:
        outcomes = run(*orders, executors=1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [outcome.lane for outcome in outcomes] == ["remote"] * count, [outcome.error for outcome in outcomes]


def test_a_hosts_python_is_looked_for_once(server: Servers) -> None:
    variables = {name: value for name, value in host(server).variables.items() if "interpreter" not in name}
    orders = [ModuleCall("ansible.builtin.ping", host=Host("web1", variables)) for _turn in range(4)]

    async def work(lanes: AnsibleLanes) -> list[Outcome]:
        return list(await asyncio.gather(*(lanes.run(order) for order in orders)))

    (stock,), outcomes = run(orders[0], fast=False), use(work, executors=4)[0]
    for outcome in outcomes:
        assert outcome.lane == "remote", outcome.error
        assert outcome.result["ansible_facts"] == stock.result["ansible_facts"]
    assert [outcome.result["warnings"] for outcome in outcomes if "warnings" in outcome.result] == [
        stock.result["warnings"]
    ]


def test_another_login_where_what_it_would_find_has_changed(server: Servers) -> None:
    order = shell(KEPT, host=host(server))
    touch = shell(f"echo >> {server.home}/.bashrc", host=host(server))
    first, second, _touched, third = run(order, order, touch, order, executors=1)
    assert kept(first) == kept(second) != kept(third)


def test_a_broken_connection_breaks_off_what_runs_and_the_next_is_opened_anew(server: Servers, tmp_path: Path) -> None:
    ran, order = tmp_path / "ran", shell(KEPT, host=host(server))

    async def work(lanes: AnsibleLanes) -> tuple[int, Outcome, Outcome]:
        before = kept(await lanes.run(order))
        breaking = asyncio.create_task(lanes.run(shell(f"echo $$ >> {ran}; sleep 100", host=host(server))))
        sleeper = await written(ran)
        os.kill(before, signal.SIGKILL)
        outcome = await breaking
        os.kill(sleeper, signal.SIGKILL)  # its parent could not end it
        return before, outcome, await lanes.run(order)

    before, broken, after = use(work, executors=1)[0]
    assert (broken.ok, broken.unreachable, broken.changed) == (False, True, None)
    assert "the connection broke while it ran" in (broken.error or "")
    assert len(ran.read_text().split()) == 1, "it ran once"
    assert kept(after) != before


def test_what_runs_ends_when_the_connection_is_cut(server: Servers, tmp_path: Path) -> None:
    ran = tmp_path / "ran"

    async def work(lanes: AnsibleLanes) -> Outcome:
        breaking = asyncio.create_task(lanes.run(shell(f"echo $$ > {ran}; sleep 100", host=host(server))))
        sleeper = await written(ran)
        for socket in server.control.iterdir():
            subprocess.run(["ssh", "-O", "exit", "-S", socket, "127.0.0.1"], capture_output=True, check=True)
        await until(lambda: not running(sleeper))
        return await breaking

    outcome = use(work, executors=1)[0]
    assert (outcome.ok, outcome.unreachable) == (False, True)


@pytest.mark.parametrize("limit", [{"timeout": 2}, {"keywords": {"timeout": 2}}])
def test_a_timeout_ends_one_module_and_no_other(server: Servers, tmp_path: Path, limit: dict[str, Any]) -> None:
    slow, other = tmp_path / "slow", tmp_path / "other"

    async def work(lanes: AnsibleLanes) -> tuple[Outcome, Outcome]:
        await lanes.run(shell(KEPT, host=host(server)))
        waiting = asyncio.create_task(lanes.run(shell(f"until [ -e {other} ]; do sleep 0.1; done", host=host(server))))
        late = await lanes.run(shell(f"echo $$ > {slow}; sleep 100", host=host(server), **limit))
        await until(lambda: not slow.exists() or not running(int(slow.read_text())))
        other.touch()
        return late, await waiting

    late, waited = use(work, executors=2)[0]
    assert late.timed_out
    assert (waited.ok, waited.lane) == (True, "remote")


@BOTH
def test_killing_the_job_ends_what_runs_on_hosts(server: Servers, tmp_path: Path, fast: bool) -> None:
    ran, pid = tmp_path / "ran", os.fork()
    if pid == 0:
        try:
            run(shell(f"echo $$ > {ran}; exec sleep 100", host=host(server)), fast=fast)
        finally:
            os._exit(0)

    async def wait() -> None:
        sleeper = await written(ran)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        if fast:  # in core's own way it goes on, for it has no terminal here
            await until(lambda: not running(sleeper))
        else:
            os.kill(sleeper, signal.SIGKILL)

    asyncio.run(wait())


def test_killing_the_job_leaves_no_temporary_folder(server: Servers, tmp_path: Path) -> None:
    waiting, pid = tmp_path / "waiting", os.fork()
    if pid == 0:
        try:
            order = copy(f"{server.work}/never", host(server, ansible_remote_tmp=str(tmp_path / "tmp")), "x")
            order.args["validate"] = f"sh -c 'echo $PPID > {waiting}; sleep 100; true %s'"
            run(order)
        finally:
            os._exit(0)

    async def wait() -> None:
        await written(waiting)
        assert len(list((tmp_path / "tmp").iterdir())) == 1
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        await until(lambda: not list((tmp_path / "tmp").iterdir()))

    asyncio.run(wait())


def copy(dest: str, place: Host, content: str) -> ModuleCall:
    return ModuleCall("ansible.builtin.copy", {"content": content, "dest": dest}, host=place)


def same_failure(order: Callable[[], ModuleCall]) -> Outcome:
    """What an order fails with, which is the same in both lanes."""
    outcomes = [run(order(), fast=fast)[0] for fast in (True, False)]
    mine, stock = (plain([one.ok, one.unreachable, one.error], Path("@")) for one in outcomes)
    assert mine == stock
    assert not outcomes[0].ok
    return outcomes[0]


def test_a_host_without_python(server: Servers) -> None:
    missing = host(server, ansible_python_interpreter="/no/such/python")
    failed = same_failure(lambda: ModuleCall("ansible.builtin.ping", host=missing))
    assert "/no/such/python" in (failed.error or "")


@pytest.mark.parametrize("version", ["3.7", "3.8"])
def test_a_host_with_an_old_python(server: Servers, version: str) -> None:
    from ansible.module_utils.basic import _PY_MIN

    folders = [str(path.parent) for path in Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")]
    python = shutil.which(f"python{version}", path=os.pathsep.join([*folders, os.environ["PATH"]]))
    if python is None or subprocess.run([python, "-V"], check=False, capture_output=True).returncode:
        pytest.skip(f"there is no Python {version}")
    place = host(server, ansible_python_interpreter=python)
    orders = [ModuleCall("ansible.builtin.ping", host=place), copy(f"{server.work}/{version}", place, "x")]
    mine, stock = ([plain([one.ok, one.error], Path("@")) for one in run(*orders, fast=fast)] for fast in (True, False))
    assert mine == stock
    lane = "remote" if tuple(map(int, version.split("."))) >= _PY_MIN else "stock"
    assert {one.lane for one in run(*orders)} == {lane}


def test_a_host_that_is_not_there() -> None:
    nowhere = Host("nowhere", {"ansible_host": "127.0.0.1", "ansible_port": 1})
    assert same_failure(lambda: ModuleCall("ansible.builtin.ping", host=nowhere)).unreachable


def test_a_host_whose_key_has_changed(server: Servers, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    key = " ".join((tmp_path / "other.pub").read_text().split()[:2])
    (tmp_path / "known").write_text(f"[127.0.0.1]:{server.ports['web1']} {key}\n")
    strict = f"-o StrictHostKeyChecking=yes -o UserKnownHostsFile={tmp_path}/known -o ControlPath=none"
    failed = same_failure(lambda: ModuleCall("ansible.builtin.ping", host=host(server, ansible_ssh_common_args=strict)))
    assert "HOST IDENTIFICATION HAS CHANGED" in (failed.error or "")


@pytest.fixture
def asking(server: Servers) -> dict[str, Any]:
    """Variables of a host on which one becomes another user by a password."""
    sudo = server.home / "sudo"
    sudo.write_text(OPTIONS + ASKING)
    sudo.chmod(0o755)
    return {**BECOME, "ansible_become_exe": str(sudo)}


def test_a_password_is_given_once(server: Servers, asking: dict[str, Any]) -> None:
    order = shell(KEPT, host=host(server, **asking, ansible_become_password="right"))
    first, second = run(order, order)
    assert kept(first) == kept(second)


def test_a_wrong_password(server: Servers, asking: dict[str, Any]) -> None:
    wrong = host(server, **asking, ansible_become_password="wrong")
    failed = same_failure(lambda: ModuleCall("ansible.builtin.ping", host=wrong))
    assert "Incorrect sudo password" in (failed.error or "")


def test_what_cannot_become_on_pipes_runs_in_cores_own_way(server: Servers) -> None:
    tty = server.home / "tty"
    tty.write_text(OPTIONS + '[ -t 0 ] || { echo you must have a tty >&2; exit 1; }\nexec "$@"\n')
    tty.chmod(0o755)
    needing = host(server, **BECOME, ansible_become_exe=str(tty))
    (outcome,) = run(ModuleCall("ansible.builtin.ping", host=needing))
    assert (outcome.ok, outcome.lane) == (True, "stock"), outcome.error


def test_a_host_with_one_session_for_each_connection(tmp_path: Path) -> None:
    with serving(tmp_path / "servers", ["web1"], "MaxSessions 1\n") as server:
        other = {"ansible_become": True, "ansible_become_method": "su", "ansible_become_flags": "-s /bin/sh"}
        place = host(server, **other, ansible_become_user="nobody")
        server.work.chmod(0o1777)
        order = ModuleCall("ansible.builtin.copy", {"content": "x", "dest": f"{server.work}/file"}, host=place)
        (outcome,) = run(order)
        assert (outcome.ok, outcome.lane) == (True, "remote"), outcome.error


def test_secrets_are_in_no_command_line_environment_or_file(server: Servers, tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    secret = SensitiveStr(f"canary-{os.urandom(8).hex()}")
    waiting = f"echo $PPID > {server.work}/pid; until [ -e '{go_on}' ]; do sleep 0.1; done"
    copied = ModuleCall(
        "ansible.builtin.copy",
        {"content": secret, "dest": f"{server.work}/secret", "mode": "0600"},
        host=host(server),
        keywords={"no_log": True},
    )
    order = shell(waiting, host=host(server), keywords={"environment": SensitiveMap(UNUSED="x")})
    order.args["stdin"] = secret

    async def work(lanes: AnsibleLanes) -> list[bytes]:
        assert (await lanes.run(copied)).ok
        (server.work / "secret").unlink()
        going = asyncio.create_task(lanes.run(order))
        await written(server.work / "pid")
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    found.append((process / name).read_bytes())
                except OSError:
                    continue
        go_on.touch()
        assert (await going).ok
        return found

    lines = use(work, executors=1)[0]
    assert lines
    assert not any(secret.encode() in line for line in lines)
    readable = [path for path in server.home.rglob("*") if path.is_file()]
    assert not any(secret.encode() in path.read_bytes() for path in readable)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a small file system with some options."""
    folders: list[Path] = []

    def mount(options: str) -> Path:
        folder = tmp_path / "mounted"
        folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=1777,{options}", "none", folder], check=False)
        if done.returncode:
            pytest.skip("nothing can be mounted here")
        folders.append(folder)
        return folder

    yield mount
    for folder in folders:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk(server: Servers, mounted: Callable[[str], Path]) -> None:
    disk = mounted("size=256k")
    full = host(server, ansible_remote_tmp=str(disk / "tmp"))
    for fast in (True, False):
        (failed,) = run(copy(f"{server.work}/large", full, "x" * 1_000_000), fast=fast)
        assert not failed.ok
        assert "No space left" in (failed.error or "")
        assert not list((disk / "tmp").iterdir())
    (disk / "rest").write_bytes(b"x" * 200_000)
    failed = same_failure(lambda: copy(f"{disk}/large", host(server), "x" * 100_000))
    assert "No space left" in (failed.error or "")


def test_a_home_that_runs_no_programs(server: Servers, mounted: Callable[[str], Path]) -> None:
    place = host(server, ansible_remote_tmp=str(mounted("noexec")))
    for outcome in run(copy(f"{server.work}/copied", place, "x"), ModuleCall("ansible.builtin.ping", host=place)):
        assert (outcome.ok, outcome.lane) == (True, "remote"), outcome.error


def test_a_home_that_is_read_only(server: Servers, mounted: Callable[[str], Path]) -> None:
    place = host(server, ansible_remote_tmp=str(mounted("ro") / "tmp"))
    (outcome,) = run(ModuleCall("ansible.builtin.ping", host=place))
    assert (outcome.ok, outcome.lane) == (True, "remote"), outcome.error
    failed = same_failure(lambda: copy(f"{server.work}/copied", place, "x"))
    assert failed.unreachable
    assert "Read-only file system" in (failed.error or "")
