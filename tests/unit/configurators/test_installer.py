"""The configurator of the types `tool.*`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.configurators.installer import InstallerConfigurator
from ansible_ensemble.core.orders import Outcome
from tests.unit.configurators.conftest import FakeTask, carry_out


@pytest.mark.parametrize(
    ("name", "check", "asked", "look"),
    [
        ("create", False, "install", False),
        ("create", True, "install", True),
        ("check", False, "check", True),
        ("delete", False, "delete", False),
        ("delete", True, "delete", True),
    ],
)
def test_what_it_asks_of_its_process(
    task: Callable[..., FakeTask], name: str, check: bool, asked: str, look: bool
) -> None:
    given = task({"class_name": "installer"}, name=name, inputs={"kind": "program", "done": {}}, check=check)
    told = json.dumps({"status": "ok", "changed": True})
    result, (order,) = carry_out(InstallerConfigurator(), given, Outcome(ok=True, rc=0, stdout=f"noise\n{told}\n"))
    assert json.loads(order.stdin) == {"kind": "program", "operation": asked, "look": look}
    assert (result.success, result.modified) == (True, True)
    assert (result.status is not None) is (name == "check")


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Outcome(ok=True, rc=0, stdout='{"error": "no such file"}'), "no such file"),
        (Outcome(ok=False, rc=1, error="exit code 1"), "exit code 1"),
        (Outcome(ok=True, rc=0), "the installer said nothing"),
        (Outcome(ok=False, timed_out=True, error="timed out"), "timed out"),
    ],
)
def test_a_failure_is_told(task: Callable[..., FakeTask], outcome: Any, error: str) -> None:
    result, _ = carry_out(InstallerConfigurator(), task({"class_name": "installer"}), outcome)
    assert (result.success, result.modified, result.error) == (False, False, error)
