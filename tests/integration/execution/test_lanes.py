"""The lanes from the outside: outcomes, cancelling, timeouts, killed executors, nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Host, ModuleCall, Outcome, Play
from ansible_ensemble.core.sensitive import SensitiveMap, SensitiveStr
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from ansible_ensemble.lanes.session import standalone_session

from .driving import HERE, environment

COMMAND = "ansible.builtin.command"


def shell(text: str, **more: Any) -> ModuleCall:
    return ModuleCall("ansible.builtin.shell", {"_raw_params": text}, **more)


def use(work: Callable[[AnsibleLanes], Awaitable[Any]], **options: Any) -> tuple[Any, list[Any]]:
    """Give lanes to some work, and say what came of it and what was displayed."""
    displays: list[Any] = []

    async def main() -> Any:
        settings = {"executors": 2, **options}
        lanes = AnsibleLanes(standalone_session(), on_display=lambda *call: displays.append(call), **settings)
        try:
            return await work(lanes)
        finally:
            await lanes.close()

    return asyncio.run(main()), displays


def run(*orders: ModuleCall | Play, **options: Any) -> list[Outcome]:
    async def work(lanes: AnsibleLanes) -> list[Outcome]:
        return [await lanes.run(order) for order in orders]

    outcomes: list[Outcome] = use(work, **options)[0]
    return outcomes


def children(ancestor: int | None = None, besides: Iterable[int] = ()) -> set[int]:
    """Processes that descend from one, by default from this one, and from none of some others."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in (line.split() for line in listing.splitlines())}
    found, fresh = set[int](), {ancestor or os.getpid()}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - found - set(besides)
        found |= fresh
    return {pid for pid in found if running(pid)}


def running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens in another process; the test's own timeout ends a wait in vain."""
    while not condition():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(("fast", "lane"), [(True, "fast"), (False, "stock")])
def test_a_module_call(fast: bool, lane: str) -> None:
    (outcome,) = run(ModuleCall(COMMAND, {"_raw_params": "echo out"}), fast=fast)
    assert (outcome.ok, outcome.changed, outcome.rc, outcome.stdout, outcome.lane) == (True, True, 0, "out", lane)
    assert outcome.result["cmd"] == ["echo", "out"]
    assert outcome.seconds > 0


def test_a_failure_says_why() -> None:
    (outcome,) = run(shell("echo why >&2; exit 3"))
    assert not outcome.ok
    assert outcome.rc == 3
    assert (outcome.error or "").endswith(": why")


@pytest.mark.parametrize("order", [{"fast": False}, {"deny": frozenset({"ping"})}])
def test_opting_out_of_the_fast_lane(order: dict[str, Any]) -> None:
    call = ModuleCall("ansible.builtin.ping", fast=order.pop("fast", True))
    assert [outcome.lane for outcome in run(call, **order)] == ["stock"]


def test_no_process_before_the_first_order() -> None:
    async def work(_: AnsibleLanes) -> set[int]:
        return children(besides=before)

    before = children()
    assert use(work)[0] == set()


def test_no_log_is_censored_and_the_result_is_there_for_outputs() -> None:
    (outcome,) = run(shell("echo hush", keywords={"no_log": True}))
    assert "hush" not in repr(outcome)
    assert "censored" in outcome.result
    assert isinstance(outcome.hidden, SensitiveMap)
    assert outcome.hidden["stdout"] == "hush"


def test_sensitive_arguments_arrive_in_clear() -> None:
    call = shell('printf %s "$A"', keywords={"environment": SensitiveMap(A=SensitiveStr("hush")), "no_log": True})
    (outcome,) = run(call)
    assert outcome.hidden["stdout"] == "hush"


def test_nothing_is_hidden_without_no_log() -> None:
    (outcome,) = run(shell("echo open"))
    assert outcome.hidden == {}


def test_values_are_never_rendered() -> None:
    text = "{{ lookup('env', 'HOME') }}"
    (outcome,) = run(
        ModuleCall("ansible.builtin.debug", {"msg": text}, keywords={"vars": {"v": text}, "environment": {"A": text}})
    )
    assert outcome.result["msg"] == text


def test_expressions_are() -> None:
    first, second = run(
        shell("echo 1", keywords={"register": "said", "failed_when": "said.stdout == '1'"}),
        shell("exit 1", keywords={"register": "said", "failed_when": "said.rc == 2"}),
    )
    assert not first.ok
    assert second.ok


def test_displays_are_relayed(monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible.utils.display import Display

    async def work(lanes: AnsibleLanes) -> None:
        await lanes.run(ModuleCall(COMMAND, {"_raw_params": "true"}))

    monkeypatch.setattr(Display(), "verbosity", 3)
    displays = use(work, fast=False)[1]
    assert any(method == "verbose" and "ESTABLISH LOCAL CONNECTION" in args[0] for method, args, _ in displays)


def test_set_fact_is_told_by_its_result() -> None:
    (outcome,) = run(ModuleCall("ansible.builtin.set_fact", {"a": {"b": [1, None]}}))
    assert outcome.result["ansible_facts"] == {"a": {"b": [1, None]}}


def test_orders_do_not_see_each_other() -> None:
    host = Host("new", {"ansible_connection": "local", "color": "red"})
    outcomes = run(
        ModuleCall("ansible.builtin.set_fact", {"a": 1}),
        ModuleCall("ansible.builtin.assert", {"that": ["a is defined"]}),
        ModuleCall("ansible.builtin.debug", {"var": "color"}, host=host),
        ModuleCall("ansible.builtin.debug", {"var": "groups.all"}),
        executors=1,
    )
    assert not outcomes[1].ok
    assert outcomes[2].result["color"] == "red"
    assert "new" not in str(outcomes[3].result)


def test_a_host_of_the_controller_takes_the_fast_lane() -> None:
    host = Host("new", {"ansible_connection": "local"})
    other = Host("new", {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/env python3"})
    outcomes = run(ModuleCall("ansible.builtin.ping", host=host), ModuleCall("ansible.builtin.ping", host=other))
    assert [outcome.lane for outcome in outcomes] == ["fast", "stock"]


def test_an_unreachable_host() -> None:
    host = Host("nowhere", {"ansible_host": "127.0.0.1", "ansible_port": 1})
    (outcome,) = run(ModuleCall("ansible.builtin.ping", host=host))
    assert (outcome.ok, outcome.unreachable) == (False, True)
    assert outcome.error


@pytest.mark.parametrize("fast", [True, False])
def test_a_timeout_ends_the_module_and_its_children(tmp_path: Path, fast: bool) -> None:
    pid = tmp_path / "pid"

    async def work(lanes: AnsibleLanes) -> Outcome:
        await lanes.run(ModuleCall("ansible.builtin.ping"))
        outcome = await lanes.run(shell(f"echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 100", timeout=1.5))
        await until(lambda: not pid.exists() or not running(int(pid.read_text())))
        assert (await lanes.run(ModuleCall("ansible.builtin.ping"))).ok
        return outcome

    outcome = use(work, executors=1, fast=fast)[0]
    assert (outcome.ok, outcome.timed_out, outcome.error) == (False, True, "timed out after 1.5 s")


@pytest.mark.parametrize("fast", [True, False])
def test_cores_own_timeout(fast: bool) -> None:
    (outcome,) = run(shell("sleep 100", keywords={"timeout": 1}), fast=fast)
    assert (outcome.ok, outcome.timed_out, outcome.lane) == (False, True, "fast" if fast else "stock")


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("kind", ["module", "play", "play with workers"])
def test_cancelling_ends_what_runs_and_the_lanes_go_on(tmp_path: Path, fast: bool, kind: str) -> None:
    pid, tasks = tmp_path / "pid", tmp_path / "tasks.yml"
    text = f"echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 100"
    tasks.write_text(f"- ansible.builtin.shell: '{text}'\n")
    order = shell(text) if kind == "module" else Play("tasks", str(tasks))

    async def work(lanes: AnsibleLanes) -> None:
        task = asyncio.create_task(lanes.run(order))
        await until(pid.exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not running(int(pid.read_text())))
        assert (await lanes.run(ModuleCall("ansible.builtin.ping"))).ok

    use(work, executors=1, fast=fast, use_inline=kind != "play with workers")


def test_a_killed_executor_is_replaced(tmp_path: Path) -> None:
    async def work(lanes: AnsibleLanes) -> Outcome:
        await lanes.run(ModuleCall("ansible.builtin.ping"))
        (victim,) = lanes._all
        task = asyncio.create_task(lanes.run(shell(f"touch {tmp_path}/up; sleep 100")))
        await until((tmp_path / "up").exists)
        os.kill(victim, signal.SIGKILL)
        outcome = await task
        assert (await lanes.run(ModuleCall("ansible.builtin.ping"))).ok
        return outcome

    outcome = use(work, executors=1)[0]
    assert not outcome.ok
    assert "killed" in (outcome.error or "")


def test_a_killed_zygote_means_the_stock_lane() -> None:
    async def work(lanes: AnsibleLanes) -> list[Outcome]:
        first = await lanes.run(ModuleCall("ansible.builtin.ping"))
        assert lanes._zygote
        lanes._zygote._process.kill()
        lanes._zygote._process.wait()
        return [first, await lanes.run(ModuleCall("ansible.builtin.ping"))]

    outcomes = use(work, executors=1)[0]
    assert [(outcome.ok, outcome.lane) for outcome in outcomes] == [(True, "fast"), (True, "stock")]


def test_executors_are_recycled() -> None:
    async def work(lanes: AnsibleLanes) -> set[int]:
        seen = set()
        for _ in range(4):
            await lanes.run(ModuleCall("ansible.builtin.debug", {"msg": "x"}))
            seen |= set(lanes._all)
        return seen

    assert len(use(work, executors=1, recycle=2)[0]) == 2


def test_close_leaves_no_process(tmp_path: Path) -> None:
    before = children()
    pid = tmp_path / "pid"

    async def work(lanes: AnsibleLanes) -> None:
        asyncio.get_running_loop().create_task(lanes.run(shell(f"echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 100")))
        await until(pid.exists)

    with contextlib.suppress(asyncio.CancelledError):
        use(work)
    assert not children(besides=before)
    assert not running(int(pid.read_text()))


@pytest.mark.parametrize("fast", [True, False])
def test_killing_the_job_leaves_no_process(tmp_path: Path, fast: bool) -> None:
    script = (
        "import asyncio, json, sys; sys.path.insert(0, sys.argv[1]); import driver;"
        "asyncio.run(driver.carry_out(json.load(sys.stdin)))"
    )
    orders = [
        {"module": "ansible.builtin.shell", "args": {"_raw_params": f"echo $$ > {tmp_path}/p{n}; exec sleep 100"}}
        for n in range(2)
    ]
    job = subprocess.Popen([sys.executable, "-c", script, str(HERE)], stdin=subprocess.PIPE, env=environment())
    import json

    assert job.stdin
    job.stdin.write(json.dumps({"orders": orders, "together": True, "executors": 2, "lanes": {"fast": fast}}).encode())
    job.stdin.close()

    def started() -> bool:
        return all((tmp_path / f"p{n}").exists() and (tmp_path / f"p{n}").read_text().strip() for n in range(2))

    async def wait() -> None:
        await until(started)
        born = children(job.pid)  # this process has others too: a fixture's database server
        job.kill()
        job.wait()
        sleepers = {int((tmp_path / f"p{n}").read_text()) for n in range(2)}
        await until(lambda: not any(running(pid) for pid in born | sleepers))

    asyncio.run(wait())


def test_wrong_orders() -> None:
    with pytest.raises(InvalidInput, match="import_playbook"):
        run(ModuleCall("ansible.builtin.import_playbook", {"_raw_params": "x.yml"}))
    with pytest.raises(InvalidInput, match="unknown kind"):
        run(Play("other", "x"))
    (outcome,) = run(ModuleCall("ansible.builtin.ping", keywords={"nosuch": 1}))
    assert "nosuch" in (outcome.error or "")


@pytest.mark.parametrize("fast", [True, False])
def test_a_result_of_any_size_comes_with_its_ends(fast: bool) -> None:
    print_much = "echo first; head -c 17000000 /dev/zero | tr '\\0' x; echo; echo last"
    [outcome] = run(shell(print_much), fast=fast, executors=1)
    assert (outcome.ok, outcome.rc, outcome.lane) == (True, 0, "fast" if fast else "stock")
    assert outcome.stdout.startswith("first\nxxx")
    assert outcome.stdout.endswith("\nlast")
    assert " cut ...]" in outcome.stdout
    assert len(json.dumps(outcome.result)) < 5_000_000


def test_a_play_that_tells_displays_what_the_default_callback_does_while_it_runs(tmp_path: Path) -> None:
    marker = tmp_path / "goes on"
    (tmp_path / "tasks.yml").write_text(
        "- {name: First, ansible.builtin.debug: {msg: hello}}\n"
        "- {name: Hidden, ansible.builtin.debug: {msg: unspoken}, no_log: true}\n"
        f"- {{name: Wait, ansible.builtin.wait_for: {{path: {marker}}}}}\n"
        f"- {{name: Write, ansible.builtin.copy: {{content: new, dest: {tmp_path}/written}}}}\n"
    )

    async def work(lanes: AnsibleLanes) -> tuple[Outcome, str]:
        told: list[str] = []
        order = Play("tasks", str(tmp_path / "tasks.yml"), diff=True, displayed=True)
        running = asyncio.create_task(lanes.run(order, lambda method, args, kwargs: told.append(str(args[0]))))
        await until(lambda: any("TASK [Wait]" in line for line in told))
        marker.touch()
        return await running, "\n".join(told)

    (outcome, told), others = use(work)
    assert outcome.ok, outcome.error
    assert "hello" in told
    assert "unspoken" not in told
    assert "+new" in told, "the diff"
    assert others == []
