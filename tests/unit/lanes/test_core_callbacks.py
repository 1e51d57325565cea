"""Operations as tasks for callback plugins, apart from a play."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import constants
from ansible.executor.stats import AggregateStats
from ansible.inventory.host import Host
from ansible.playbook.task import Task
from msgspec.structs import replace

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


def _manager(*plugins: str) -> SimpleNamespace:
    return SimpleNamespace(_callback_plugins=[*plugins], _stats=AggregateStats())


def test_statistics_for_plugins_count_operations_and_tasks_and_no_job():
    """A job counts for the plugin that writes the output alone; hosts of nothing else are left out for others."""
    seen: dict[str, AggregateStats] = {}

    def send(manager: Any, method: str, *arguments: Any, **_more: Any) -> None:
        if method == "v2_playbook_on_stats":
            seen.update(dict.fromkeys(manager._callback_plugins, arguments[0]))

    manager, operations, job = _manager("writer", "ara"), OperationTasks(), Task()
    send_callback = without_jobs(send, operations, Polling())
    job._resolved_action = "tosca.ensemble.execute"
    manager._stats.increment("ok", "web1")  # another task
    for host, ended, counted in (("localhost", "failed", "failures"), ("web1", "ok", "ok")):
        send_callback(manager, "v2_playbook_on_task_start", job, is_conditional=False)
        send_callback(manager, "v2_runner_on_start", Host(host), job)
        operations.endings.append(ended)
        for what in ("ok", "changed"):
            operations.counts.setdefault("web1", Counter())[what] += 1
            manager._stats.increment(what, "web1")
        manager._stats.increment(counted, host)
        send_callback(manager, f"v2_runner_on_{ended}", SimpleNamespace(task=job, host=Host(host)))
    send_callback(manager, "v2_playbook_on_stats", manager._stats)
    assert seen["writer"].summarize("localhost")["failures"] == 1
    assert seen["writer"].summarize("web1")["ok"] == 4
    assert (seen["ara"].processed, seen["ara"].failures) == ({"web1": 1}, {})
    assert (seen["ara"].ok, seen["ara"].changed) == ({"web1": 3}, {"web1": 2})


def test_a_task_that_ends_among_others_is_the_running_one_again(monkeypatch: pytest.MonkeyPatch):
    """Plugins such as ARA take the task that began last for the one that ends."""
    sent: list[tuple[list[str], str, str]] = []

    def send(manager: Any, method: str, *arguments: Any, **_more: Any) -> None:
        task = arguments[0] if isinstance(arguments[0], Task) else getattr(arguments[-1], "task", arguments[-1])
        sent.append((manager._callback_plugins, method, task.name))

    class Manager(SimpleNamespace):
        send_callback = send

    manager = Manager(**vars(_manager("writer", "ara")), get_inventory=lambda: SimpleNamespace(get_host=Host))
    monkeypatch.setattr(core_callbacks, "_running_play", lambda: (manager, None))
    tasks, other = OperationTasks(), replace(EVENT, id="A2", name="db: create")
    for event in (EVENT, other, replace(EVENT, ending="ok"), replace(other, ending="ok")):
        tasks(event, True)
    everyone, start = ["writer", "ara"], "v2_playbook_on_task_start"
    assert [one for one in sent if one[1] != "v2_runner_on_start"] == [
        (everyone, start, "web: create"),
        (everyone, start, "db: create"),
        (["ara"], start, "web: create"),
        (everyone, "v2_runner_on_ok", "web: create"),
        (["ara"], start, "db: create"),
        (everyone, "v2_runner_on_ok", "db: create"),
    ]


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

    manager, operations = _manager("writer", "junit"), OperationTasks()
    send_callback = without_jobs(send, operations, Polling())
    job, other = Task(), Task()
    job._resolved_action, other._resolved_action = "tosca.ensemble.execute", "ansible.builtin.copy"
    send_callback(manager, "v2_playbook_on_task_start", job, is_conditional=False)
    operations.endings.extend(endings)
    send_callback(manager, end, SimpleNamespace(task=job, host=Host("web1")))
    assert sent == {"writer": ["v2_playbook_on_task_start", end], "junit": others}
    send_callback(manager, "v2_playbook_on_task_start", other, is_conditional=False)
    assert [one[-1] for one in sent.values()] == ["v2_playbook_on_task_start"] * 2


@pytest.mark.parametrize("shown", [True, False])
def test_a_result_of_a_job_stands_below_its_own_name_again_where_operations_were_shown(shown: bool):
    sent: list[str] = []
    manager, operations = _manager("writer"), OperationTasks()
    send_callback = without_jobs(lambda _manager, method, *_call, **_more: sent.append(method), operations, Polling())
    job = Task()
    job._resolved_action = "tosca.ensemble.execute"
    send_callback(manager, "v2_playbook_on_task_start", job, is_conditional=False)
    send_callback(manager, "v2_runner_on_start", Host("web1"), job)
    operations.endings.append("ok")
    operations.shown = shown
    begun, sent[:] = sent[:], []
    send_callback(manager, "v2_runner_on_ok", SimpleNamespace(task=job, host=Host("web1")))
    assert begun == ["v2_playbook_on_task_start", "v2_runner_on_start"]
    assert sent == ["v2_playbook_on_task_start"] * shown + ["v2_runner_on_ok"]


@pytest.mark.parametrize(("usual", "meanwhile"), [(0.001, 0.01), (0.5, 0.5)])
def test_core_looks_less_often_for_the_end_of_a_job(monkeypatch: pytest.MonkeyPatch, usual: float, meanwhile: float):
    monkeypatch.setattr(constants, "DEFAULT_INTERNAL_POLL_INTERVAL", usual)
    manager, host = _manager("writer"), Host("web1")
    send_callback = without_jobs(lambda *_arguments, **_more: None, OperationTasks(), Polling())
    job, other = Task(), Task()
    job._resolved_action, other._resolved_action = "tosca.ensemble.execute", "ansible.builtin.copy"
    seen = []
    for call in (
        ("v2_playbook_on_task_start", other),
        ("v2_playbook_on_task_start", job),
        ("v2_runner_on_start", host, job),
        ("v2_runner_on_ok", SimpleNamespace(task=job, host=host)),
    ):
        send_callback(manager, *call)
        seen.append(constants.DEFAULT_INTERNAL_POLL_INTERVAL)
    assert seen == [usual, meanwhile, meanwhile, usual]


#: A process in which a job has begun, and the worker that is forked from it.
FORKED = """
import os
from types import SimpleNamespace
from ansible import constants
from ansible.executor.stats import AggregateStats
from ansible.executor.task_queue_manager import TaskQueueManager
from ansible.inventory.host import Host
from ansible_ensemble.lanes.core_callbacks import install

TaskQueueManager.send_callback = lambda *_arguments: None
install()
job = SimpleNamespace(resolved_action="tosca.ensemble.execute")
manager = SimpleNamespace(_callback_plugins=[], _stats=AggregateStats())
TaskQueueManager.send_callback(manager, "v2_runner_on_start", Host("web1"), job)
if not (worker := os.fork()):
    print(constants.DEFAULT_INTERNAL_POLL_INTERVAL, flush=True)
    os._exit(0)
os.waitpid(worker, 0)
print(constants.DEFAULT_INTERNAL_POLL_INTERVAL)
"""


def test_plays_in_a_job_look_as_often_as_ever():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert done.stdout == f"{constants.DEFAULT_INTERNAL_POLL_INTERVAL}\n0.01\n"
