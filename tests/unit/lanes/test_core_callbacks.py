"""Operations as tasks for callback plugins, apart from a play."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible.executor.stats import AggregateStats
from ansible.inventory.host import Host

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.lanes import core_callbacks
from ansible_ensemble.lanes.core_callbacks import OperationTasks, TaskEvent, audience

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
