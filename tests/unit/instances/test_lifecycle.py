from __future__ import annotations

import pytest

from ansible_ensemble.instances.lifecycle import only_looks


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
