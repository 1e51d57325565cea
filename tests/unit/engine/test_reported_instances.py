from __future__ import annotations

import pytest

from ansible_ensemble.configurators.protocol import Result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.engine.settle import settle


def test_parents_in_a_circle_are_refused(job) -> None:
    made = job()
    made.instance("machine", status="ok", created="A0")
    task = made.task("app:Standard.create")
    made.instance("one", template="machine", status="ok")
    made.instance("two", template="machine", status="ok")
    items = [{"name": "one", "parent": "two"}, {"name": "two", "parent": "one"}]
    with pytest.raises(InvalidInput, match="circle"):
        settle(task, Result(True, instances=items), made.instances, made.ensemble.redactor)
