from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.protocol import Result, SubTask
from ansible_ensemble.configurators.template import DelegateConfigurator, TemplateConfigurator
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.instances.status import Status

from .conftest import carry_out


def test_template_runs_nothing(task: Any) -> None:
    inputs = {
        "run": {"url": "u"},
        "done": {"status": "degraded"},
        "resultTemplate": lambda variables: {"name": "db", "attributes": variables["result"]["run"]},
    }
    result, orders = carry_out(TemplateConfigurator(), task(inputs=inputs, attributes=frozenset({"url"})))
    assert orders == []
    assert (result.success, result.modified, result.status) == (True, False, Status.DEGRADED)
    assert result.attributes == {"url": "u"}
    assert result.instances == [{"name": "db", "attributes": {"url": "u"}}]


def test_template_without_inputs(task: Any) -> None:
    result, _ = carry_out(TemplateConfigurator(), task())
    assert (result.success, result.attributes, result.instances) == (True, {}, [])


@pytest.mark.parametrize(
    "inputs,order",
    [
        ({"operation": "configure"}, SubTask("configure")),
        ({"operation": "Standard.configure", "target": "db"}, SubTask("Standard.configure", "db")),
        ({"operation": "x", "target": {".name": "db"}, "inputs": {"a": 1}}, SubTask("x", "db", {"a": 1})),
        ({"operation": "x", "when": True}, SubTask("x")),
    ],
)
def test_delegate(task: Any, inputs: dict[str, Any], order: SubTask) -> None:
    answer = Result(success=True, outputs={"a": 1})
    result, orders = carry_out(DelegateConfigurator(), task(inputs=inputs), answer)
    assert orders == [order]
    assert result is answer


def test_delegate_only_when(task: Any) -> None:
    result, orders = carry_out(DelegateConfigurator(), task(inputs={"operation": "x", "when": False}))
    assert (result.success, result.modified, orders) == (True, False, [])


@pytest.mark.parametrize(
    "inputs,words", [({}, "set the input `operation`"), ({"operation": "x", "inputs": 1}, "must be a map")]
)
def test_delegate_refuses(task: Any, inputs: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        carry_out(DelegateConfigurator(), task(inputs=inputs), Outcome(ok=True))


def test_both_can_be_tried_in_check_mode(task: Any) -> None:
    assert TemplateConfigurator().can_dry_run(task())
    assert DelegateConfigurator().can_dry_run(task())
