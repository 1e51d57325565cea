"""`ansible-ensemble provision agent` with Ansible: its tasks as actions, and hosts of an inventory."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.machines.conftest import written
from tests.integration.machines.test_inventory_host import lives, stand_in
from tests.integration.provision.agents import AgentProcess
from tests.integration.provision.conftest import Walking
from tests.integration.provision.drpcli import Object
from tests.integration.provision.walk import Walk
from tests.integration.sshd import PYTHON, Servers

SECRET = "nobody is to see this"

_WRITE = """{% raw %}
- name: Write it down
  ansible.builtin.copy:
    dest: FOLDER/note
    content: "{{ params['PLAIN'] }} {{ machine.Name }}"
- ansible.builtin.debug:
    msg: "it is {{ params['SECRET'] }}"
- ansible.builtin.set_stats:
    data:
      told: [1, 2]
      params:
        SECRET: "{{ params['SECRET'] }} any more"
{% endraw %}"""


def filled(text: str, values: dict[str, str]) -> str:
    for word, value in values.items():
        text = text.replace(word, value)
    return text


def agent(walk: Walk, *words: str, token: str = "") -> AgentProcess:
    known = {"RS_ENDPOINT": walk.cli.wire.endpoint, "RS_TOKEN": token or walk.cli.wire.token}
    return AgentProcess([*words, "--insecure", f"--state-dir={walk.folder / 'agent'}"], {**os.environ, **known})


def local(walk: Walk, *names: str, **variables: Any) -> Path:
    """An inventory of machines of the test, each of which is this machine."""
    common = {"ansible_connection": "local", "ansible_python_interpreter": PYTHON, **variables}
    return written(walk.folder / "hosts.json", {walk.name(name): common for name in names})


async def ansible_task(walk: Walk, name: str, content: str, **meta: str) -> Object:
    template = {"Name": f"{name}.yml", "Path": "", "ID": "", "Contents": content, "Meta": {"engine": "jinja", **meta}}
    return await walk.cli.create("tasks", {"Name": walk.name(name), "Templates": [template]})


async def play_walk(walk: Walk, start: Callable[[Object], Any]) -> None:
    """A workflow of Ansible's tasks, carried out by an agent, and what is there afterwards."""
    secret, plain = walk.name("secret"), walk.name("plain")
    await walk.cli.create("params", {"Name": secret, "Secure": True})
    values = {"FOLDER": str(walk.folder), "SECRET": secret, "PLAIN": plain}
    await ansible_task(walk, "write", filled(_WRITE, values))
    await ansible_task(
        walk, "predict", f"- ansible.builtin.copy: {{dest: {walk.folder}/never, content: new}}\n", check="true"
    )
    await ansible_task(
        walk, "stop", "- hosts: all\n  gather_facts: false\n  tasks:\n  - set_stats: {data: {exit_status: 16}}\n"
    )
    await walk.workflow("flow", {"stage": ["write", "predict", "stop"]})
    machine = await walk.machine(
        "m", "flow", Params={secret: SECRET, plain: "{{ 1 + 1 }}", "ansible_connection": "ssh"}
    )
    running = await start(machine)
    assert running.wait() == 0, "\n".join(running.lines)
    assert await walk.jobs(machine) == [
        ("write", 1, "finished", "complete"), ("predict", 2, "finished", "complete"), ("stop", 3, "finished", "stop"),
    ]  # fmt: skip
    assert (walk.folder / "note").read_text() == f"{{{{ 1 + 1 }}}} {walk.name('m')}", "params are data"
    assert not (walk.folder / "never").exists()
    logs = [await walk.cli.log(job["Uuid"]) for job in await walk.cli.history(machine["Uuid"])]
    assert "TASK [Write it down]" in logs[0]
    assert "+{{ 1 + 1 }}" in logs[0], "the diff"
    assert "it is <<REDACTED>>" in logs[0]
    assert "+new" in logs[1]
    assert SECRET not in "".join(logs + running.lines)
    params = await walk.cli.params("machines", machine["Uuid"])
    assert params["told"] == [1, 2]
    assert isinstance(params[secret], dict), "it is sealed"
    opened = await walk.cli.params("machines", machine["Uuid"], "?decode=true")
    assert opened[secret] == f"{SECRET} any more"


def test_ansibles_tasks_on_the_machine_itself(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        async def start(machine: Object) -> AgentProcess:
            return agent(walk, machine["Uuid"], "--oneshot", token=await walk.cli.machine_token(machine["Uuid"]))

        await play_walk(walk, start)

    walk(steps)


def test_ansibles_tasks_over_a_connection(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        async def start(machine: Object) -> AgentProcess:
            return agent(walk, "--inventory", str(local(walk, "m")), "--oneshot")

        await play_walk(walk, start)

    walk(steps)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("- ansible.builtin.fail: {msg: no way}", "no way"),
        ("- hosts: all\n- name: x\n", "mixes plays and tasks"),
        ("- nosuch.module.here: {}", "couldn't resolve module/action"),
        ("- ansible.builtin.set_stats: {data: {exit_status: 300}}", "exit_status is no number from 0 to 255"),
    ],
)
def test_what_ansible_cannot_do_fails_the_job_and_is_in_its_log(walk: Walking, content: str, message: str) -> None:
    async def steps(walk: Walk) -> None:
        await ansible_task(walk, "bad", content)
        await walk.workflow("flow", {"stage": ["bad"]})
        machine = await walk.machine("m", "flow")
        running = agent(walk, "--inventory", str(local(walk, "m")), "--oneshot", "--exit-on-failure")
        assert running.wait() == 1, running.lines
        assert await walk.jobs(machine) == [("bad", 1, "failed", "failed")]
        assert message in await walk.cli.current_log(machine["Uuid"])

    walk(steps)


def test_hosts_are_created_and_driven_and_named_if_they_are_no_machines(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        path = str(local(walk, "a", "b", "c"))
        refused = agent(walk, "--inventory", path, "--oneshot")
        assert refused.wait() == 3
        assert len(refused.lines) == 1
        assert f"no machines of the server: {walk.name('a')}, {walk.name('b')}" in refused.lines[0]
        nobody = agent(walk, "--inventory", path, "--limit", "nobody")
        assert nobody.wait() == 3
        assert "No host of the inventory matches nobody" in nobody.lines[-1]
        made = agent(walk, "--inventory", path, "--limit", f"all:!{walk.name('c')}", "--create", "--oneshot")
        assert made.wait() == 0, made.lines
        names = {machine["Name"] for machine in await walk.cli.list("machines", f"Name=Re({walk.name('')})")}
        assert names == {walk.name("a"), walk.name("b")}

    walk(steps)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--inventory", "x", "m1"), "MACHINE does not go with --inventory"),
        (("--inventory", "x", "--boot-id", "1"), "--boot-id does not go with --inventory"),
        (("m1", "--limit", "x"), "--limit does not go without --inventory"),
        (("m1", "--jobs", "0"), "is not a number of at least 1"),
        ((), "Which machine is this?"),
    ],
)
def test_options_that_make_no_sense_are_refused(words: tuple[str, ...], message: str) -> None:
    refused = AgentProcess([*words, "--insecure"], {**os.environ, "RS_UUID": ""})
    assert refused.wait() == 2
    assert message in refused.lines[0]


def test_a_signal_ends_all_scripts_in_order(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("long", f"echo $$ >{walk.folder}/$RS_UUID; exec sleep 1000")
        await walk.workflow("flow", {"stage": ["long"]})
        machines = [await walk.machine(name, "flow") for name in ("a", "b")]
        running = agent(walk, "--inventory", str(local(walk, "a", "b")))
        files = [walk.folder / machine["Uuid"] for machine in machines]
        while not all(file.exists() and file.read_text().endswith("\n") for file in files):
            assert running.process.poll() is None
        assert running.end() == 143, running.lines
        assert not [file for file in files if lives(int(file.read_text()))]
        for machine in machines:
            assert await walk.jobs(machine) == [("long", 1, "incomplete", "stop")]

    walk(steps)


def test_jobs_bounds_how_many_run_at_once(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        alone = f"{walk.folder}/alone"
        await walk.task("one", f"mkdir {alone} || exit 1; sleep 0.3; rmdir {alone}")
        await walk.workflow("flow", {"stage": ["one"]})
        machines = [await walk.machine(name, "flow") for name in ("a", "b", "c")]
        running = agent(walk, "--inventory", str(local(walk, "a", "b", "c")), "--jobs", "1", "--oneshot")
        assert running.wait() == 0, "\n".join(running.lines)
        for machine in machines:
            assert await walk.jobs(machine) == [("one", 1, "finished", "complete")]

    walk(steps)


def test_a_reboot_in_the_middle_over_ssh_goes_on_at_the_right_task(
    walk: Walking, by_ssh: Path, servers: Servers
) -> None:
    boots = stand_in(by_ssh, servers.work, {})

    async def steps(walk: Walk) -> None:
        given = json.loads(by_ssh.read_text())["all"]["hosts"]
        path = written(walk.folder / "renamed.json", {walk.name("m"): given["one"]})
        await walk.task("first", f"echo first >>{servers.work}/order")
        await walk.task("again", f"echo again >>{servers.work}/order; {walk.once(192)}")
        await walk.task("reboot", f"echo reboot >>{servers.work}/order; exit 64")
        await walk.task("last", f"echo last $(wc -l <{boots}) >>{servers.work}/order")
        await walk.workflow("flow", {"stage": ["first", "again", "reboot", "last"]})
        machine = await walk.machine("m", "flow")
        running = agent(walk, "--inventory", str(path), "--oneshot")
        assert running.wait() == 0, "\n".join(running.lines)
        assert (servers.work / "order").read_text().split("\n")[:-1] == ["first", "again", "again", "reboot", "last 5"]
        assert await walk.jobs(machine) == [
            ("first", 1, "finished", "complete"), ("again", 2, "finished", "complete"),
            ("reboot", 3, "finished", "reboot"), ("last", 4, "finished", "complete"),
        ]  # fmt: skip
        now = await walk.at(machine)
        assert (now["CurrentTask"], now["WorkflowComplete"], now["Runnable"]) == (5, True, True)

    walk(steps)


def test_the_task_that_the_documentation_shows(walk: Walking, repository: Path) -> None:
    page = (repository / "docs" / "machines-agent.md").read_text()
    shown = page.partition("## Ansible as a job's action")[2].partition("```yaml\n")[2].partition("```")[0]

    async def steps(walk: Walk) -> None:
        target = walk.folder / "motd"
        assert "dest: /etc/motd" in shown
        task = yaml.safe_load(shown.replace("/etc/motd", str(target)))
        name = task["Name"]
        templates = [{"Path": "", "ID": "", **template} for template in task["Templates"]]
        await walk.cli.create("tasks", {**task, "Name": walk.name(name), "Templates": templates})
        await walk.workflow("flow", {"stage": [name]})
        machine = await walk.machine("m", "flow", Params={"site/name": "Here"})
        running = agent(walk, "--inventory", str(local(walk, "m")), "--oneshot", "--skip-power")
        assert running.wait() == 0, "\n".join(running.lines)
        assert await walk.jobs(machine) == [(name, 1, "finished", "reboot")]
        assert target.read_text() == f"Here: {walk.name('m')}"
        assert (await walk.cli.params("machines", machine["Uuid"]))["motd/written"] is True

    walk(steps)
