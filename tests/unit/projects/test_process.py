from __future__ import annotations

import os
import subprocess
import sys

import pytest
from msgspec.structs import replace

from ansible_ensemble.projects import process as processes
from ansible_ensemble.projects.process import Presence, Process, describe_process, presence


@pytest.fixture
def own() -> Process:
    return describe_process(os.getpid())


@pytest.fixture
def dead() -> Process:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        described = describe_process(child.pid)
        child.communicate(b"\n")
    return described


def test_a_living_process(own: Process) -> None:
    assert own.pid == os.getpid()
    assert own.start
    assert own.host
    assert presence(own) is Presence.ALIVE


def test_a_dead_process(dead: Process) -> None:
    assert presence(dead) is Presence.GONE


def test_a_process_is_read_back(own: Process) -> None:
    assert Process.from_json(own.to_json()) == own
    assert Process.from_json({"Pid": "5"}) == Process(5)


@pytest.mark.parametrize("data", [{}, {"Pid": None}, {"Pid": "x"}, {"Pid": []}])
def test_what_is_no_process(data: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)):
        Process.from_json(data)


def test_a_bare_pid_is_taken_for_one_of_this_host(dead: Process) -> None:
    assert presence(Process(os.getpid())) is Presence.ALIVE
    assert presence(Process(dead.pid)) is Presence.GONE


@pytest.mark.parametrize("pid", [0, -1, 2**70])
def test_impossible_pids_are_gone(pid: int) -> None:
    assert presence(Process(pid)) is Presence.GONE


def test_another_start_is_another_process(own: Process) -> None:
    assert presence(replace(own, start="1")) is Presence.GONE


@pytest.mark.parametrize("field", ["host", "machine", "boot", "namespace"])
def test_what_cannot_be_seen_from_here(own: Process, dead: Process, field: str) -> None:
    if field == "boot":
        # only the machine's id tells a reboot from another machine of the same name
        dead = replace(dead, machine="")
    assert presence(replace(dead, **{field: "another"})) is Presence.UNKNOWN


def test_a_reboot_of_this_very_machine_ends_all_processes(own: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    real = processes._first_line
    monkeypatch.setattr(processes, "_first_line", lambda path: "id" if path == "/etc/machine-id" else real(path))
    assert presence(replace(describe_process(os.getpid()), boot="an earlier one")) is Presence.GONE


def test_without_proc_there_is_ps(own: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    # a system without /proc; if it has no ps either, a process is known by its id alone
    monkeypatch.setattr(processes.Path, "exists", lambda path: False)
    assert presence(describe_process(os.getpid())) is Presence.ALIVE
    monkeypatch.setenv("PATH", "")
    assert presence(describe_process(os.getpid())) is Presence.ALIVE
    assert presence(Process(2**70)) is Presence.GONE


def test_a_process_that_proc_hides_is_alive(own: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden(*_: object, **__: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(processes.Path, "read_text", hidden)
    assert presence(Process(os.getpid())) is Presence.ALIVE
