"""`ansible-ensemble provision` with a server: objects, params, machines on their way, logs, events, logins."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.objects import Job, Machine
from tests.integration.provision.commandline import CommandLine, Done
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.test_client import KEY, settings_of
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Wire

SECRET = "hunter2-and-more"


def command_of(server: Lasting, state: Path) -> CommandLine:
    """The command of somebody who logged in at a server."""
    pem = (server.folder / "data" / "tls" / "server.crt").read_text()
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    line = CommandLine({"XDG_STATE_HOME": str(state), "RS_ENDPOINT": server.endpoint, "RS_KEY": KEY})
    line("login", "--fingerprint", fingerprint)
    return line


@pytest.fixture
def command(shared: Lasting, tmp_path: Path) -> CommandLine:
    return command_of(shared, tmp_path / "state")


@pytest.fixture
def names(tmp_path: Path) -> Walk:
    """Gives names that no other test has."""
    return Walk(None, tmp_path)  # type: ignore[arg-type]


@pytest.fixture
def beside() -> Iterator[Callable[..., Future[Any]]]:
    """Runs calls while the test goes on."""
    with ThreadPoolExecutor(4) as pool:
        yield pool.submit


#: Kind, what it is made with beside its name, a field and another value of it.
KINDS = [
    ("machines", ["Description=one"], "Description", "two"),
    ("workflows", ["Stages=none,local"], "Stages", "local"),
    ("stages", ["BootEnv=local"], "Description", "two"),
    ("tasks", ["RequiredParams=a,b"], "RequiredParams", "b"),
    ("templates", ["Contents=x"], "Contents", "y: z"),
    ("params", ["Schema={type: string}"], "Description", "12"),
    ("profiles", ["--param", "a=1"], "Description", "two"),
    ("bootenvs", ["OS.Name=debian-12"], "Kernel", "vmlinuz"),
    ("contexts", ["Engine=docker"], "Image", "debian"),
    ("users", ["Roles=superuser"], "Description", "true"),
    ("roles", ['Claims=[{scope: jobs, action: list, specific: "*"}]'], "Description", "two"),
]


@pytest.mark.parametrize("case", KINDS, ids=[case[0] for case in KINDS])
def test_objects_of_each_kind_live(command: CommandLine, names: Walk, case: tuple[str, list[str], str, str]) -> None:
    (kind, made, field, value), name = case, names.name("x")
    key = "ID" if kind == "templates" else "Name"
    one = kind.removesuffix("s")
    assert command(kind, "create", name, *made).out == f"Created {one} {name}.\n"
    assert f"{key}: {name}\n" in command(kind, "show", name).out
    assert command(kind, "update", name, f"{field}={value}").out == f"Changed {one} {name}.\n"
    assert command(kind, "update", name, f"{field}={value}").out == f"Nothing changes in {one} {name}.\n"
    held = command.ask(kind, "show", name)[field]
    assert held == ([value] if isinstance(held, list) else value)
    assert [found[key] for found in command.ask(kind, "list", f"{key}={name}")] == [name]
    assert name in command(kind, "list", f"{key}={name}").out
    assert command(kind, "destroy", name).out == f"Deleted {one} {name}.\n"
    assert f"there is no {one} {name}" in command(kind, "show", name, code=5).err


def test_a_machine_is_made_of_what_is_said_in_any_order(command: CommandLine, names: Walk) -> None:
    name, profile = names.name("m"), names.name("p")
    command("profiles", "create", profile, "--param", "colour=red")
    words = ["--param", "rack=7", name, "--profile", profile, "Meta.owner=amy", "--param", "disks=[a, b]", "Arch=amd64"]
    made = command.ask("machines", "create", *words)
    assert (made["Params"], made["Profiles"], made["Meta"]["owner"]) == (
        {"rack": 7, "disks": ["a", "b"]},
        [profile],
        "amy",
    )
    command("machines", "update", name, "--param", "rack=8", "--profile", "global", "Meta.owner=bob")
    now = command.ask("machines", "show", name)
    assert now["Params"] == {"rack": 8, "disks": ["a", "b"]}
    assert (now["Profiles"], now["Meta"]["owner"]) == ([profile, "global"], "bob")
    assert command.ask("machines", "show", f"Name:{name}") == now == command.ask("machines", "show", now["Uuid"])
    assert command("machines", "get", name, "colour", "--aggregate").out == "red\n"


def test_files_of_yaml_and_json_are_objects_and_what_is_shown_can_be_given(
    command: CommandLine, names: Walk, tmp_path: Path
) -> None:
    first, second = names.name("a"), names.name("b")
    listed = f"- {{Name: {first}, Description: one}}\n- {{Name: {second}}}\n"
    assert command("tasks", "create", "-f", "-", stdin=listed).out.count("Created task") == 2
    file = tmp_path / "task.json"
    file.write_text(json.dumps(command.ask("tasks", "show", first)))
    command("tasks", "destroy", first)
    command("tasks", "create", "--file", str(file))
    assert command.ask("tasks", "show", first)["Description"] == "one"
    assert "Nothing changes" in command("tasks", "update", first, "--file", str(file)).out
    file.write_text("Name: x\nDescriptoin: y\n")
    assert "no field Descriptoin (did you mean Description?)" in command("tasks", "create", "-f", str(file), code=3).err
    assert str(file) in command("tasks", "create", "-f", str(file), code=3).err


def test_what_cannot_be_used_yet_says_why(command: CommandLine, names: Walk) -> None:
    stage, task = names.name("stage"), names.name("task")
    lacking = f"\n  not available yet: Task {task} does not exist\n"
    assert command("stages", "create", stage, f"Tasks={task}").out == f"Created stage {stage}.{lacking}"
    assert command("stages", "update", stage, "Description=x").out == f"Changed stage {stage}.{lacking}"
    command("tasks", "create", task)
    assert command("stages", "update", stage, "Description=y").out == f"Changed stage {stage}.\n"


def test_lists_are_filtered_ordered_and_cut(command: CommandLine, names: Walk) -> None:
    word = names.name("")
    for number in range(4):
        command("profiles", "create", f"{word}{number}", f"Description={'even' if number % 2 == 0 else 'odd'}")
    mine = f"Name=Re(^{word})"
    assert [one["Name"][-1] for one in command.ask("profiles", "list", mine, "Description=odd")] == ["1", "3"]
    assert command.ask("profiles", "list", f"name={word}0") == command.ask("profiles", "list", f"Name={word}0") != []
    several = command.ask("profiles", "list", f"Name={word}0", f"Name={word}2")
    assert [one["Name"][-1] for one in several] == ["0", "2"]
    cut = command.ask("profiles", "list", mine, "--sort", "name", "--reverse", "--limit", "2", "--offset", "1")
    assert [one["Name"][-1] for one in cut] == ["2", "1"]
    table = command("profiles", "list", mine, "--columns", "description,Name", "--limit", "1").out
    assert table == f"DESCRIPTION  NAME\neven         {word}0\n"
    assert command("profiles", "list", "Name=nobody").out == "There are no profiles.\n"
    assert command.ask("profiles", "list", "Name=nobody") == []
    assert "Nmae is no field, so params of this name were compared" in command("profiles", "list", "Nmae=nobody").err


def test_jobs_are_listed_with_the_names_of_their_machines(command: CommandLine, names: Walk, shared: Lasting) -> None:
    machine = machine_with_tasks(command, names, "exit 0")
    (job,) = done_jobs(shared, machine, "finished")
    assert [one["Uuid"] for one in command.ask("jobs", "list", "--machine", machine, "Task=Re(task)")] == [job.uuid]
    row = command("jobs", "list", "--machine", machine, "State=finished", f"Uuid={job.uuid}").out.splitlines()[1]
    assert row.split()[:2] == [job.uuid, machine]


def test_params_are_set_shown_and_removed(command: CommandLine, names: Walk) -> None:
    name = names.name("m")
    command("machines", "create", name)
    assert command("machines", "get", name).out == f"{name} has no params.\n"
    command("machines", "set", name, "a/b=text", "n=12", "list=[1, x]")
    command("machines", "set", name, "-f", "-", "n=13", stdin='{"more": {"deep": true}}')
    assert command.ask("machines", "get", name) == {
        "a/b": "text",
        "n": 13,
        "list": [1, "x"],
        "more": {"deep": True},
    }
    assert command("machines", "get", name, "a/b").out == "text\n"
    assert command.ask("machines", "get", name, "list") == [1, "x"]
    command("machines", "unset", name, "n", "list")
    assert "has no param n (" in command("machines", "get", name, "n", code=5).err
    command("machines", "unset", name, "n", code=5)


def test_what_is_secret_is_shown_to_nobody_who_does_not_ask(command: CommandLine, names: Walk) -> None:
    param, name = names.name("secret"), names.name("m")
    command("params", "create", param, "Secure=true", "Schema={type: string}")
    said = [command("machines", "create", name, "--param", f"{param}={SECRET}")]
    said.append(command("machines", "set", name, "-f", "-", stdin=f"{param}: {SECRET}\n"))
    for words in (["list"], ["list", "--columns", "Name,Params"], ["show", name], ["show", name, "-v"], ["get", name]):
        said += [command("machines", *words), command("machines", *words, "--output", "json")]
    said.append(command("machines", "update", name, "Description=x", "--output", "json"))
    assert not any(SECRET in done.out + done.err for done in said)
    assert "(sealed)" in command("machines", "show", name).out
    assert command("machines", "get", name, param, "--decode").out == f"{SECRET}\n"
    assert command.ask("machines", "show", name, "--decode")["Params"] == {param: SECRET}
    opened = command.ask("machines", "show", name, "--decode")["Secret"]
    assert opened
    assert not any(opened in done.out for done in said)


#: Words with M for a machine that is there, the exit code, and what the message has.
REFUSED = [
    (["machines", "show", "nobody"], 5, "there is no machine nobody"),
    (["machines", "run", "M", "nobody"], 5, "there is no machine nobody"),
    (["machines", "workflow", "nobody", "local", "--wait"], 5, "there is no machine nobody"),
    (["machines", "watch", "nobody"], 5, "there is no machine nobody"),
    (["machines", "create", "M"], 6, "already exists"),
    (["machines", "create", "a/b"], 6, "Invalid Name"),
    (["machines", "workflow", "M", "nothing"], 6, "nothing"),
    (["machines", "update", "M", "Nam=x"], 3, "did you mean Name?"),
    (["machines", "update", "M", "Available=true"], 3, "the server's to say"),
    (["machines", "update", "M", "Runnable=perhaps"], 3, "true or false"),
    (["machines", "update", "M", "CurrentTask=one"], 3, "CurrentTask"),
    (["machines", "update", "M", "Name.x=y"], 3, "has no parts"),
    (["machines", "update", "M"], 2, "needs fields"),
    (["machines", "update", "M", "x"], 2, '"x" sets nothing'),
    (["machines", "create"], 2, "needs a name"),
    (["machines", "create", "m", "name=n"], 2, "the name is given twice"),
    (["machines", "list", "limit=3"], 3, "--limit"),
    (["machines", "wait", "m", "Runnable=yes"], 3, "Runnable=yes: this is true or false"),
    (["machines", "list", "CurrentTask=x"], 6, "CurrentTask"),
    (["machines", "list", "--columns", "Nme"], 3, "did you mean Name?"),
    (["machines", "set", "M"], 2, "no param is given"),
    (["machines", "action", "M", "fly"], 5, " has no action fly "),
    (["machines", "wait", "M"], 1, "has no tasks"),
    (["machines", "wait", "M", "Runnable=false", "--timeout", "0.1s"], 8, "still to wait for"),
    (["machines", "wait", "Runnable=false"], 2, "no machine is named"),
    (["machines", "workflow", "M", "", "--wait"], 2, "nothing to wait for"),
    (["jobs", "log"], 2, "either a job or --machine"),
    (["jobs", "log", "--machine", "M"], 1, "has had no job yet"),
    (["jobs", "log", "0" * 8], 5, "there is no job"),
    (["prefs", "defaultStage=nothing"], 6, "nothing"),
    (["info", "--key", "rocketskates"], 3, "USER:PASSWORD"),
    (["info", "--key", "nobody:wrong"], 6, "provision login"),
    (["info", "-E", "https://127.0.0.1:1"], 7, "no answer"),
    (["info", "-E", "http://127.0.0.1:1"], 3, "https://"),
    (["info", "--fingerprint", "ab" * 32], 7, "not trusted"),
]


@pytest.mark.parametrize(("words", "code", "message"), REFUSED, ids=[" ".join(case[0]) for case in REFUSED])
def test_what_is_not_done_is_one_message_and_an_exit_code(
    command: CommandLine, names: Walk, words: list[str], code: int, message: str
) -> None:
    machine = names.name("m")
    command("machines", "create", machine)
    done = command(*[machine if word == "M" else word for word in words], code=code)
    assert done.err.startswith("Error: ")
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_machine_is_paused_and_run_and_a_locked_one_is_refused(command: CommandLine, names: Walk) -> None:
    first, second = names.name("a"), names.name("b")
    command("machines", "create", first)
    command("machines", "create", second, "Locked=true")
    done = command("machines", "pause", second, first, code=6)
    assert (done.out, f"{second}: " in done.err, "Locked" in done.err) == (f"{first} is not runnable.\n", True, True)
    assert command("machines", "pause", first).out == f"{first} is not runnable already.\n"
    assert [one["Runnable"] for one in command.ask("machines", "run", first)] == [True]
    assert command("machines", "stage", first, "local").out == f"{first} is in stage local.\n"


def machine_with_tasks(command: CommandLine, names: Walk, *scripts: str) -> str:
    """A machine with a workflow of a task for each script; its name."""
    for number, script in enumerate(scripts):
        task = {"Name": names.name(f"task{number}"), "Templates": [{"Name": "x", "Contents": f"#!/bin/sh\n{script}\n"}]}
        command("tasks", "create", "-f", "-", stdin=json.dumps(task))
    tasks = ",".join(names.name(f"task{number}") for number in range(len(scripts)))
    command("stages", "create", names.name("stage"), f"Tasks={tasks}")
    command("workflows", "create", names.name("flow"), f"Stages={names.name('stage')}")
    command("machines", "create", names.name("m"), f"Workflow={names.name('flow')}")
    return names.name("m")


def done_jobs(server: Lasting, machine: str, *states: str) -> list[Job]:
    """The jobs of a machine, of which as many as there are states are ended so."""

    async def steps(client: Client) -> list[Job]:
        key = (await client.get(Machine, f"Name:{machine}")).uuid
        done = []
        for state in states:
            job = await client.next_job(key) or await client.next_job(key)
            assert job
            await client.append_log(job.uuid, f"this is {state}\n".encode())
            done.append(await client.change(job, job.replaced(state=state, exit_state="complete")))
        return done

    return run(settings_of(server), steps)


def drive(server: Lasting, machine: str, folder: Path) -> None:
    """Run an agent on a machine until it waits."""

    async def agent() -> None:
        async with Wire(server.endpoint) as wire:
            walk = Walk(wire, folder)
            await walk.processjobs(await walk.cli.show("machines", f"Name:{machine}"))

    asyncio.run(agent())


def shown(command: CommandLine, text: str) -> None:
    """Wait until the call that runs has printed this."""
    while text not in command.out.getvalue():
        threading.Event().wait(0.02)


def test_a_workflow_is_followed_to_its_end(
    command: CommandLine, names: Walk, shared: Lasting, tmp_path: Path, beside: Callable[..., Future[Done]]
) -> None:
    machine = machine_with_tasks(command, names, "exit 0", "exit 0")
    workflow, stage = names.name("flow"), names.name("stage")
    waiting = beside(command, "machines", "workflow", machine, workflow, "--again", "--wait")
    shown(command, "waiting")
    drive(shared, machine, tmp_path)
    lines = [re.sub(r"\d+s$", "0s", line) for line in waiting.result().out.splitlines()]
    assert lines[0] == f"{machine} has workflow {workflow} again."
    first, second = (names.name(f"task{number}") for number in range(2))
    for line in (
        f"{machine}  1/2  {stage}  {first}  running",
        f"{machine}  1/2  {stage}  {first}  finished  0s",
        f"{machine}  2/2  {stage}  {second}  finished  0s",
    ):
        assert line in lines
    assert lines[-1].endswith("complete")
    assert command("machines", "wait", machine).code == 0
    assert command("machines", "workflow", machine, workflow).out == f"{machine} has workflow {workflow} already.\n"


def test_a_failure_tells_the_last_lines_and_what_to_type_next(
    command: CommandLine, names: Walk, shared: Lasting, tmp_path: Path, beside: Callable[..., Future[Done]]
) -> None:
    script = 'for number in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "problem $number"; done; exit 1'
    machine = machine_with_tasks(command, names, script)
    waiting = beside(command, "machines", "wait", machine, "--output", "json", code=1)
    drive(shared, machine, tmp_path)
    done = waiting.result()
    (told,) = done.json
    assert (told["Name"], told["State"], told["JobState"]) == (machine, "failed", "failed")
    assert f"{machine}: {names.name('task0')} failed in stage {names.name('stage')}" in done.err
    assert "| problem 12" in done.err
    assert "problem 1\n" not in done.err
    next_words = re.search(r"To go on: ansible-ensemble provision (.*)", done.err)
    log_words = re.search(r"The whole log: ansible-ensemble provision (.*)", done.err)
    assert next_words
    assert log_words
    assert "problem 1\n" in command(*log_words[1].split()).out
    assert command(*next_words[1].split()).out == f"{machine} is runnable.\n"


def test_a_wait_survives_the_server(names: Walk, tmp_path: Path, beside: Callable[..., Future[Done]]) -> None:
    server = Lasting(tmp_path / "server")
    try:
        command = command_of(server, tmp_path / "state")
        machine = machine_with_tasks(command, names, "exit 0")
        waiting = beside(command, "machines", "wait", machine, "--timeout", "10m")
        shown(command, "waiting")
        server.kill()
        server.start()
        drive(server, machine, tmp_path)
        assert waiting.result().out.splitlines()[-1].endswith("complete")
    finally:
        server.stop()


def test_machines_are_waited_for_by_their_fields(
    command: CommandLine, names: Walk, beside: Callable[..., Future[Done]]
) -> None:
    machine = names.name("m")
    command("machines", "create", machine)
    waiting = beside(command, "machines", "wait", machine, "runnable=false", "Meta.ready=yes")
    shown(command, machine)
    CommandLine(command.environment)("machines", "update", machine, "Meta.ready=yes")
    CommandLine(command.environment)("machines", "pause", machine)
    assert waiting.result().code == 0
    watcher = CommandLine(command.environment)  # with nothing printed yet, that it could be taken for
    deleted = beside(watcher, "machines", "wait", machine, "Meta.ready=no", code=1)
    shown(watcher, machine)
    CommandLine(command.environment)("machines", "destroy", machine)
    assert "was deleted" in deleted.result().err


def test_a_log_is_followed_as_it_grows(
    command: CommandLine, names: Walk, shared: Lasting, beside: Callable[..., Future[Done]]
) -> None:
    machine = machine_with_tasks(command, names, "exit 0")

    async def begin(client: Client) -> Job:
        key = (await client.get(Machine, f"Name:{machine}")).uuid
        job = await client.next_job(key) or await client.next_job(key)
        assert job
        return await client.change(job, job.replaced(state="running"))

    async def say(client: Client, text: str) -> None:
        await client.append_log(job.uuid, text.encode())

    async def end(client: Client) -> None:
        await say(client, "last ü\n")
        await client.change(job, job.replaced(state="finished"))

    job = run(settings_of(shared), begin)
    following = beside(command, "jobs", "log", "--machine", machine, "--follow")
    shown(command, "Log for Job")
    run(settings_of(shared), lambda client: say(client, "first\n"))
    shown(command, "first\n")
    run(settings_of(shared), end)
    done = following.result()
    assert done.out == f"Log for Job: {job.uuid}\nfirst\nlast ü\n"
    assert command.ask("jobs", "log", job.uuid) | {"Log": ""} == command.ask("jobs", "show", job.uuid) | {"Log": ""}
    assert command.ask("jobs", "log", job.uuid)["Log"] == done.out


def test_events_are_told(command: CommandLine, names: Walk, beside: Callable[..., Future[Done]]) -> None:
    word = names.name("p")
    watching = beside(command, "events", "watch", f"profiles.*.{word}", "--count", "3", "--output", "json")
    other = CommandLine(command.environment)
    other("profiles", "create", word)
    numbers = count()
    while not watching.done():
        other("profiles", "update", word, f"Description={next(numbers)}")
    told = [json.loads(line) for line in watching.result().out.splitlines()]
    assert len(told) == 3
    assert {event["Key"] for event in told} == {word}
    with_text = beside(command, "events", "watch", "profiles.*.*", "--count", "1")
    while not with_text.done():
        other("profiles", "update", word, f"Description={next(numbers)}")
    assert "profiles." in with_text.result().out


def test_preferences_are_shown_and_set(command: CommandLine, names: Walk) -> None:
    assert command.ask("prefs")["defaultStage"] == "none"
    assert "defaultStage     none" in command("prefs", "defaultStage=none").out


def test_who_logs_in_says_whether_the_certificate_is_right(shared: Lasting, tmp_path: Path) -> None:
    line = CommandLine({"XDG_STATE_HOME": str(tmp_path), "RS_ENDPOINT": shared.endpoint})
    assert "--fingerprint" in line("login", stdin="yes\n", code=2).err
    assert "not trusted; no password was sent" in line("login", stdin="no\n", terminal=True, code=1).err
    assert "provision login" in line("info", code=7).err
    line.passwords = ["r0cketsk8ts"]
    assert "Logged in at" in line("login", stdin="yes\n", terminal=True).out
    line.environment.pop("RS_ENDPOINT")
    assert line.ask("info")["api_port"] == shared.port
    assert "the user or the password is wrong" in line("login", "nobody", stdin="wrong\n", code=6).err
    assert line("login", "--ttl", "1h", stdin="r0cketsk8ts\n").out.endswith("as rocketskates, for 1h.\n")
    line("logout")
    line("logout", code=3)
    assert line("info", code=7).err.startswith("Error: CONNECT")


def test_a_user_who_has_a_password_can_log_in(command: CommandLine, names: Walk) -> None:
    user = names.name("amy")
    command("users", "create", user, "Roles=superuser")
    assert command("users", "password", user, stdin="new word\n").out == f"{user} has another password.\n"
    assert command.ask("info", "--key", f"{user}:new word")
    assert "there is no password" in command("users", "password", user, code=2).err
    assert "there is no user" in command("users", "password", f"{user}x", stdin="x\n", code=5).err


def test_whoever_watches_all_machines_is_told_of_each_change_in_a_line(
    command: CommandLine, names: Walk, beside: Callable[..., Future[Done]]
) -> None:
    first, second = names.name("a"), names.name("b")
    command("machines", "create", first)
    program = "from ansible_ensemble.cli.main import main; raise SystemExit(main())"
    words = [sys.executable, "-c", program, "provision", "machines", "watch", "--output", "json"]
    with subprocess.Popen(words, env={**os.environ, **command.environment}, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout
        told = (json.loads(line) for line in watch.stdout)
        assert next(one for one in told if one["Name"] == first)["State"] == "idle"
        command("machines", "create", second)
        assert next(one for one in told if one["Name"] == second)["State"] == "idle"
        command("machines", "destroy", first)
        assert next(one for one in told if one["State"] == "deleted")["Name"] == first
        watch.send_signal(signal.SIGINT)
        assert watch.wait() == 130
