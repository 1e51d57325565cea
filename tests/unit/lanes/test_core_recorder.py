"""A result of a task is kept before it is told of, and what cannot be kept is no success."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_ensemble.lanes.core_recorder import TaskRecorder


def result(returned: Any) -> Any:
    task = SimpleNamespace(
        _uuid="1",
        action="set_fact",
        args={"fact": "one"},
        changed_when=[],
        check_mode=None,
        get_name=lambda: "Set it",
        get_path=lambda: "play.yaml:3",
        notify=[],
        register=None,
        resolved_action="ansible.builtin.set_fact",
        when=[],
    )
    return SimpleNamespace(task=task, host=SimpleNamespace(get_name=lambda: "localhost"), result=returned)


def test_a_result_is_kept_though_it_cannot_be_told() -> None:
    def listener(_event: object) -> None:
        raise OSError("nobody listens")

    recorder = TaskRecorder(lambda _line: None, listener)
    with pytest.raises(OSError, match="nobody listens"):
        recorder.v2_runner_on_ok(result({"ansible_facts": {"fact": "one"}}))
    assert [task["result"] for task in recorder.tasks] == [{"ansible_facts": {"fact": "one"}}]
    assert not recorder.broken


def test_a_result_that_cannot_be_kept_is_told() -> None:
    recorder = TaskRecorder(lambda _line: None)
    recorder.v2_runner_on_ok(result({"ansible_facts": object()}))
    assert recorder.tasks == []
    assert "cannot be kept" in recorder.broken
