"""The configurator that has another ensemble install a tool."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.external_job import ExternalJobConfigurator, installation
from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.orders import Outcome
from tests.unit.configurators.conftest import FakeTask, carry_out

INPUTS = {"ensemble": "/p/tools/ensemble.yaml", "instance": "helm", "environment": ""}


def test_what_it_is_given() -> None:
    made = installation("tools", Path("/p/tools/ensemble.yaml"), "helm", "")
    assert made.implementation is not None
    assert made.implementation.primary == "tools installs helm"
    assert {name: one.value["q"] for name, one in made.inputs.items()} == INPUTS


@pytest.mark.parametrize(("environment", "words"), [("", []), ("live", ["--environment", "live"])])
@pytest.mark.parametrize("changed", [True, False])
def test_it_deploys_one_instance(
    task: Callable[..., FakeTask], environment: str, words: list[str], changed: bool
) -> None:
    given = task({"class_name": "external-job"}, inputs={**INPUTS, "environment": environment})
    told = json.dumps({"changed": changed, "tasks": []})
    result, (order,) = carry_out(ExternalJobConfigurator(), given, Outcome(ok=True, rc=0, stdout=told))
    said = list(order.argv)
    assert said[said.index("deploy") : said.index("--approve")] == ["deploy", INPUTS["ensemble"], "--instance", "helm"]
    assert said[-2 - len(words) :] == [*words, "--output", "json"]
    assert "--lock-timeout" in said
    assert (result.success, result.modified) == (True, changed)


def test_it_gives_the_job_what_this_one_was_given(task: Callable[..., FakeTask]) -> None:
    given = task({}, inputs=INPUTS, passed=["--commit", "--vault-id", "dev@/run/password"])
    _result, (order,) = carry_out(ExternalJobConfigurator(), given, Outcome(ok=True, rc=0, stdout="{}"))
    assert list(order.argv)[-5:] == ["--commit", "--vault-id", "dev@/run/password", "--output", "json"]


def test_a_dry_run_starts_nothing(task: Callable[..., FakeTask]) -> None:
    result, orders = carry_out(ExternalJobConfigurator(), task({}, inputs=INPUTS, check=True))
    assert (orders, result.basis, result.modified) == ([], Basis.PREDICTED, True)


FAILED = {"changed": True, "tasks": [{"status": "ok", "error": None}, {"status": "error", "error": "no such file"}]}


@pytest.mark.parametrize(
    ("outcome", "error", "modified"),
    [
        ({"rc": 1, "stdout": json.dumps(FAILED)}, "helm is not installed by tools: no such file", True),
        ({"rc": 2, "stdout": '{"errors": [{"text": "locked"}]}'}, "helm is not installed by tools: locked", False),
        ({"rc": 1, "stdout": "[]", "stderr": "killed\n"}, "helm is not installed by tools: killed", False),
        ({"rc": 1, "stdout": "no", "error": "exit code 1"}, "helm is not installed by tools: exit code 1", False),
        ({"timed_out": True, "error": "timed out"}, "timed out", False),
    ],
)
def test_a_failure_is_told(task: Callable[..., FakeTask], outcome: dict[str, Any], error: str, modified: bool) -> None:
    result, _ = carry_out(ExternalJobConfigurator(), task({}, inputs=INPUTS), Outcome(ok=False, **outcome))
    assert (result.success, result.modified, result.error) == (False, modified, error)
