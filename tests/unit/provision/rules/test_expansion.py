"""Task lists of workflows and stages."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.content import Stage, Workflow
from ansible_ensemble.provision.rules.expansion import expand_stage, expand_workflow
from tests.unit.provision.rules.world import assert_refused, shelf, table

CONTENT, CASES = table("expansion")


@pytest.mark.parametrize("case", CASES)
def test_expand_workflow(case):
    workflow = Workflow(name="wf", stages=case["stages"])
    tasks = assert_refused(case.get("refused"), lambda: expand_workflow(workflow, shelf(CONTENT)))
    assert tasks == case.get("tasks")


def test_the_list_of_a_stage_alone_does_not_name_it():
    known = shelf(CONTENT)
    assert expand_stage(known.get(Stage, "wants"), known) == ["base", "middle", "t1", "top"]


def test_a_stage_that_waits_for_itself_is_refused():
    known = shelf(CONTENT)
    expected = {"Model": "stages", "Key": "circular", "Messages": ["Task circle depends on itself!"]}
    assert_refused(expected, lambda: expand_stage(known.get(Stage, "circular"), known))
