"""Operations as tasks for callback plugins, apart from a play."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible.executor.stats import AggregateStats
from ansible.inventory.host import Host
from ansible.playbook.task import Task

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.lanes import core_callbacks
from ansible_ensemble.lanes.core_callbacks import OperationTasks, TaskEvent, audience, without_jobs

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
    send_callback = without_jobs(send, operations)
    job, other = Task(), Task()
    job._resolved_action, other._resolved_action = "tosca.ensemble.execute", "ansible.builtin.copy"
    send_callback(manager, "v2_playbook_on_task_start", job, is_conditional=False)
    operations.endings.extend(endings)
    send_callback(manager, end, SimpleNamespace(task=job))
    assert sent == {"writer": ["v2_playbook_on_task_start", end], "junit": others}
    send_callback(manager, "v2_playbook_on_task_start", other, is_conditional=False)
    assert [one[-1] for one in sent.values()] == ["v2_playbook_on_task_start"] * 2
