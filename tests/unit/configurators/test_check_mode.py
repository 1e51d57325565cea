from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.check_mode import is_in_place, shows_something


@pytest.mark.parametrize(
    ("diffs", "there"),
    [
        ([], False),
        ([{"before": "", "after": "text\n"}], False),
        ([{"before": "old\n", "after": "text\n"}], True),
        ([{"before": {"path": "/a", "state": "absent"}, "after": {"path": "/a", "state": "directory"}}], False),
        ([{"before": {"path": "/a", "mode": "0644"}, "after": {"path": "/a", "mode": "0600"}}], True),
        ([{"before": {}, "after": {"a": 1}}], False),
        ([{"prepared": "text"}], False),
        ([{"before": "", "after": "x"}, {"before": "y", "after": ""}], True),
    ],
)
def test_what_is_before_a_change_is_there(diffs: list[dict[str, Any]], there: bool) -> None:
    assert shows_something(diffs) is there


@pytest.mark.parametrize(
    ("task", "in_place"),
    [
        ({"action": "ansible.builtin.copy"}, True),
        ({"action": "copy", "changed": True}, False),
        ({"action": "copy", "status": "skipped"}, False),
        ({"action": "ansible.builtin.stat"}, False),
        ({"action": "ansible.builtin.command", "unseen": True}, False),
    ],
)
def test_a_task_without_a_change_found_something_in_place(task: dict[str, Any], in_place: bool) -> None:
    assert is_in_place({"status": "ok", **task}) is in_place
