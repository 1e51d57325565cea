"""Operations as tasks for callback plugins, apart from a play."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import constants
from ansible.executor.stats import AggregateStats
from ansible.inventory.host import Host
from ansible.playbook.task import Task

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.lanes import core_callbacks
from ansible_ensemble.lanes.core_callbacks import OperationTasks, Polling, TaskEvent, audience, without_jobs

EVENT = TaskEvent(id="A1", name="web: create", action="acme.web.install", host="web1", place=Place("/e/web.yaml", 3))


def test_an_event_is_plain_data():
    assert TaskEvent.from_json(as_map(EVENT)) == EVENT


def test_where_no_play_runs_nobody_listens():
    assert audience(output=True) is None
    OperationTasks()(EVENT, False)


def test_an_error_is_a_warning_and_no_end_of_the_thread(monkeypatch: pytest.MonkeyPatch):
    def fail() -> None:
        raise AttributeError("no such thing")

    warned: list[str] = []
    monkeypatch.setattr(core_callbacks, "_running_play", fail)
    monkeypatch.setattr("ansible.utils.display.Display.warning", lambda _self, text: warned.append(text))
    OperationTasks()(EVENT, False)
    assert warned == ["callback plugins could not be told of web: create: AttributeError: no such thing"]


@pytest.mark.parametrize(
    ("ended", "counts"),
    [
        ({"ending": "ok"}, {"ok": 1}),
        ({"ending": "ok", "result": {"changed": True}}, {"ok": 1, "changed": 1}),
        ({"ending": "failed"}, {"failures": 1}),
        ({"ending": "failed", "ignored": True}, {"ok": 1, "ignored": 1}),
        ({"ending": "failed", "counted": False}, {}),
        ({"ending": "unreachable"}, {"unreachable": 1}),
        ({"ending": "skipped"}, {"skipped": 1}),
    ],
)
def test_operations_are_counted_for_their_hosts(
    monkeypatch: pytest.MonkeyPatch, ended: dict[str, object], counts: dict[str, int]
):
    statistics, sent = AggregateStats(), []
    manager = SimpleNamespace(
        _stats=statistics,
        _callback_plugins=["the writer"],
        get_inventory=lambda: SimpleNamespace(get_host=Host),
        send_callback=lambda method, *_arguments, **_more: sent.append(method),
    )
    monkeypatch.setattr(core_callbacks, "_running_play", lambda: (manager, None))
    tasks = OperationTasks()
    tasks(EVENT, True)
    tasks(TaskEvent.from_json({**as_map(EVENT), **ended}), True)
    assert sent[:2] == ["v2_playbook_on_task_start", "v2_runner_on_start"]
    assert len(sent) == 3
    assert {name: number for name, number in statistics.summarize("web1").items() if number} == counts


@pytest.mark.parametrize(
    ("endings", "end", "others"),
    [
        (["ok"], "v2_runner_on_ok", []),
        (["ok", "failed"], "v2_runner_on_failed", []),
        (["ok"], "v2_runner_on_failed", ["v2_playbook_on_task_start", "v2_runner_on_failed"]),
        ([], "v2_runner_on_ok", ["v2_playbook_on_task_start", "v2_runner_on_ok"]),
    ],
)
def test_a_job_is_told_to_the_writer_and_to_others_only_where_its_operations_do_not_tell(
    endings: list[str], end: str, others: list[str]
):
    sent: dict[str, list[str]] = {"writer": [], "junit": []}

    def send(manager: Any, method: str, *_arguments: Any, **_more: Any) -> None:
        for plugin in manager._callback_plugins:
            sent[plugin].append(method)

    manager, operations = SimpleNamespace(_callback_plugins=["writer", "junit"]), OperationTasks()
    send_callback = without_jobs(send, operations, Polling())
    job, other = Task(), Task()
    job._resolved_action, other._resolved_action = "tosca.ensemble.execute", "ansible.builtin.copy"
    send_callback(manager, "v2_playbook_on_task_start", job, is_conditional=False)
    operations.endings.extend(endings)
    send_callback(manager, end, SimpleNamespace(task=job))
    assert sent == {"writer": ["v2_playbook_on_task_start", end], "junit": others}
    send_callback(manager, "v2_playbook_on_task_start", other, is_conditional=False)
    assert [one[-1] for one in sent.values()] == ["v2_playbook_on_task_start"] * 2


@pytest.mark.parametrize("shown", [True, False])
def test_a_result_of_a_job_stands_below_its_own_name_again_where_operations_were_shown(shown: bool):
    sent: list[str] = []
    manager, operations = SimpleNamespace(_callback_plugins=["writer"]), OperationTasks()
    send_callback = without_jobs(lambda _manager, method, *_call, **_more: sent.append(method), operations, Polling())
    job = Task()
    job._resolved_action = "tosca.ensemble.execute"
    send_callback(manager, "v2_playbook_on_task_start", job, is_conditional=False)
    send_callback(manager, "v2_runner_on_start", "web1", job)
    operations.endings.append("ok")
    operations.shown = shown
    begun, sent[:] = sent[:], []
    send_callback(manager, "v2_runner_on_ok", SimpleNamespace(task=job))
    assert begun == ["v2_playbook_on_task_start", "v2_runner_on_start"]
    assert sent == ["v2_playbook_on_task_start"] * shown + ["v2_runner_on_ok"]


@pytest.mark.parametrize(("usual", "meanwhile"), [(0.001, 0.01), (0.5, 0.5)])
def test_core_looks_less_often_for_the_end_of_a_job(monkeypatch: pytest.MonkeyPatch, usual: float, meanwhile: float):
    monkeypatch.setattr(constants, "DEFAULT_INTERNAL_POLL_INTERVAL", usual)
    manager = SimpleNamespace(_callback_plugins=["writer"])
    send_callback = without_jobs(lambda *_arguments, **_more: None, OperationTasks(), Polling())
    job, other = Task(), Task()
    job._resolved_action, other._resolved_action = "tosca.ensemble.execute", "ansible.builtin.copy"
    seen = []
    for event, task in (
        ("v2_playbook_on_task_start", other),
        ("v2_playbook_on_task_start", job),
        ("v2_runner_on_start", job),
        ("v2_runner_on_ok", job),
    ):
        send_callback(manager, event, SimpleNamespace(task=task))
        seen.append(constants.DEFAULT_INTERNAL_POLL_INTERVAL)
    assert seen == [usual, meanwhile, meanwhile, usual]


#: A process in which a job has begun, and the worker that is forked from it.
FORKED = """
import os
from types import SimpleNamespace
from ansible import constants
from ansible.executor.task_queue_manager import TaskQueueManager
from ansible_ensemble.lanes.core_callbacks import install

TaskQueueManager.send_callback = lambda *_arguments: None
install()
job = SimpleNamespace(task=SimpleNamespace(resolved_action="tosca.ensemble.execute"))
TaskQueueManager.send_callback(SimpleNamespace(_callback_plugins=[]), "v2_runner_on_start", job)
if not (worker := os.fork()):
    print(constants.DEFAULT_INTERNAL_POLL_INTERVAL, flush=True)
    os._exit(0)
os.waitpid(worker, 0)
print(constants.DEFAULT_INTERNAL_POLL_INTERVAL)
"""


def test_plays_in_a_job_look_as_often_as_ever():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert done.stdout == f"{constants.DEFAULT_INTERNAL_POLL_INTERVAL}\n0.01\n"
