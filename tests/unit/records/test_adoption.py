from __future__ import annotations

import pytest

from ansible_ensemble.records.adoption import adoption


@pytest.mark.parametrize(
    ("status", "target", "kind"),
    [
        ("ok", "ok", "adopted"),
        ("ok", "degraded", "adopted"),
        ("ok", "error", "differ"),
        ("ok", "absent", "absent"),
        ("ok", "pending", "absent"),
        ("ok", "unknown", "unseen"),
        ("ok", None, "unseen"),
        ("error", "ok", "unseen"),
    ],
)
def test_each_instance_is_of_one_kind(status: str, target: str | None, kind: str) -> None:
    tasks = [{"instance": "a", "status": status, "target_status": target, "error": "why"}]
    empty = {"adopted": {}, "differ": {}, "absent": {}, "unseen": {}}
    assert adoption(tasks, {}) == {**empty, kind: {"a": "why"}}
    assert adoption([], {"b": "no check"}) == {**empty, "unseen": {"b": "no check"}}
