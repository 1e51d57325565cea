"""The JSON form of a planned operation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.documents.shape import misfit
from ansible_ensemble.planning.guard import Branch, Guard
from ansible_ensemble.planning.plan import PLAN, Plan
from ansible_ensemble.planning.planned_operation import (
    AdHocCommand,
    AssignedInputs,
    Origin,
    PlannedOperation,
    Prediction,
    Retry,
)

CALLED = Origin(workflow="inner", given=AssignedInputs({"x": 1}, Origin(policy="p")))

#: What few operations have, and their entries in the document.
PARTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"guard": Guard(unless_ok=True)}, {"guard": {"unless_ok": True}}),
    (
        {"guard": Guard(branch=Branch(("a",), ()), condition_of="b")},
        {"guard": {"branch": {"succeeded": ["a"], "failed": []}, "condition_of": "b"}},
    ),
    ({"guard": Guard(condition=[{"size": 1}])}, {"guard": {"condition": [{"size": 1}]}}),
    ({"relationship": "db#0", "target": "db"}, {"relationship": "db#0", "target": "db"}),
    ({"retry": Retry(2)}, {"retry": {"retries": 2}}),
    ({"pause": 0.5}, {"pause": 0.5}),
    ({"inputs": {"a": None}}, {"inputs": {"a": None}}),
    (
        {"assigned": AssignedInputs({"y": {"get_input": "x"}}, CALLED)},
        {
            "assigned": {
                "values": {"y": {"get_input": "x"}},
                "origin": {"workflow": "inner", "given": {"values": {"x": 1}, "origin": {"policy": "p"}}},
            }
        },
    ),
    ({"command": AdHocCommand(("id", "-u"), module="m")}, {"command": {"command": ["id", "-u"], "module": "m"}}),
    ({"command": AdHocCommand(workflow="w")}, {"command": {"workflow": "w"}}),
    ({"prediction": Prediction(changed=False)}, {"prediction": {"changed": False}}),
]


def operation(**parts: Any) -> PlannedOperation:
    return PlannedOperation("a:Standard.create", "a", "a", "Standard", "create", Reason.ADD, "deploy", **parts)


def plan(*operations: PlannedOperation) -> Plan:
    return Plan("deploy", "ensemble.yaml", operations=list(operations))


@pytest.mark.parametrize(("parts", "entries"), PARTS)
def test_the_document_has_what_is_not_as_by_default_and_reads_back(
    parts: dict[str, Any], entries: dict[str, Any]
) -> None:
    document = json.loads(plan(operation(**parts)).to_text())
    (found,) = document["operations"]
    assert found == {**operation().to_json(), **entries}
    assert misfit(document, PLAN) is None
    assert Plan.from_json(document).operations == [operation(**parts)]


def test_the_reason_is_printed_as_its_name() -> None:
    (found,) = plan(operation()).to_json()["operations"]
    assert f"{found['reason']}" == "add"


def test_secrets_in_inputs_are_masked() -> None:
    assert "canary" not in plan(operation(inputs={"a": mark_sensitive("canary")})).to_text()


@pytest.mark.parametrize(
    "entry",
    [
        {"guard": {"unless_ok": "yes"}},
        {"guard": {"unless_raining": True}},
        {"guard": {"branch": {"succeeded": []}}},
        {"assigned": {"origin": {}}},
        {"assigned": {"values": {}, "origin": {"given": {}}}},
        {"retry": {"retries": "2"}},
        {"details": {}},
    ],
)
def test_a_damaged_operation_is_refused(entry: dict[str, Any]) -> None:
    document = json.loads(plan(operation()).to_text())
    document["operations"][0] |= entry
    with pytest.raises(InvalidInput, match="the plan is damaged"):
        Plan.from_json(document)


def test_a_plan_of_the_first_format_is_refused_by_its_version() -> None:
    document = plan(operation()).to_json() | {"format_version": "1.0"}
    with pytest.raises(InvalidInput, match=r"the plan has format 1\.0, this version reads 2\.0"):
        Plan.from_json(document)
