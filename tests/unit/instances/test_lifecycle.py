from __future__ import annotations

import pytest

from ansible_ensemble.instances.lifecycle import only_looks, status_after_failure
from ansible_ensemble.instances.status import Priority, Status


@pytest.mark.parametrize(
    "operation,looks",
    [
        ("check", True),
        ("Install.discover", True),
        ("my.interfaces.Probe.check", True),
        ("Standard.configure", False),
        ("recheck", False),
        ("check.create", False),
    ],
)
def test_only_looks(operation: str, looks: bool) -> None:
    assert only_looks(operation) is looks


@pytest.mark.parametrize(
    ("modified", "priority", "after"),
    [
        (None, Priority.REQUIRED, Status.UNKNOWN),
        (None, Priority.IGNORE, Status.UNKNOWN),
        (False, Priority.CRITICAL, Status.OK),
        (True, Priority.REQUIRED, Status.ERROR),
        (True, Priority.CRITICAL, Status.ERROR),
        (True, Priority.OPTIONAL, Status.DEGRADED),
        (True, Priority.IGNORE, Status.DEGRADED),
    ],
)
def test_the_status_after_a_failure_follows_from_what_it_modified_and_the_priority(modified, priority, after) -> None:
    assert status_after_failure(Status.OK, modified, priority) is after
