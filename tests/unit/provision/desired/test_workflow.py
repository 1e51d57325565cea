"""Machines begin a workflow, begin it anew, or go on; a dry run says the same."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.desired.object_api import Live
from ansible_ensemble.provision.desired.prediction import Predicted
from ansible_ensemble.provision.desired.workflow import start
from tests.unit.provision.desired.conftest import Ask

NAMES = (f"s{number}" for number in count())

#: The machine before, what is asked for, whether it changes, its workflow, place and runnability after.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[Any, ...]]] = {
    "another workflow": ({}, {"workflow": "whole"}, (True, "whole", -1, True)),
    "the workflow that it has": ({"Workflow": "whole"}, {"workflow": "whole"}, (False, "whole", -1, True)),
    "none is named": ({"Workflow": "whole"}, {}, (False, "whole", -1, True)),
    "anew": ({"Workflow": "whole", "step": True}, {"restart": True}, (True, "whole", -1, True)),
    "anew before it began": ({"Workflow": "whole"}, {"restart": True}, (False, "whole", -1, True)),
    "goes on": ({"Workflow": "whole", "Runnable": False}, {"resume": True}, (True, "whole", -1, True)),
    "stays": ({"Workflow": "whole", "Runnable": False}, {}, (False, "whole", -1, False)),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_asked_for_happens_as_predicted(ask: Ask, serving: Any, case: str) -> None:
    (before, asked, expected), name = CASES[case], next(NAMES)
    step, runnable = before.get("step"), before.get("Runnable", True)
    machine = serving.machine(name, Workflow=before.get("Workflow", ""))
    if step:
        serving("POST", "/jobs", {"Machine": machine["Uuid"]})
    if not runnable:
        path = f"/machines/{machine['Uuid']}"
        assert serving("PATCH", path, [{"op": "replace", "path": "/Runnable", "value": False}]).status == 200
    found = [ask(lambda client, api=api: start(api(client), name, **asked)) for api in (Predicted, Live)]
    for change in found:
        after = change.after
        assert (change.changed, after.workflow, after.current_task, after.runnable) == expected
    assert found[0].diff == found[1].diff


def test_who_cannot_run_a_workflow(ask: Ask, serving: Any) -> None:
    with pytest.raises(EnsembleError, match="machines: there is no nobody"):
        ask(lambda client: start(Live(client), "nobody", "whole"))
    serving.machine("workless")
    with pytest.raises(EnsembleError, match="machine workless has no workflow"):
        ask(lambda client: start(Live(client), "workless"))
