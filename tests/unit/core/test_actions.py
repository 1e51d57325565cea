from __future__ import annotations

import pytest

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.planning.plan import InstanceChange, Plan
from ansible_ensemble.reports.graph import dot, graph_of
from ansible_ensemble.reports.plan_html import plan_html
from ansible_ensemble.reports.plan_text import plan_text

#: A plan of what stays as it is says only that nothing changes.
TOLD = [action for action in Action if action.meaning]


def document(action: Action, reason: Reason) -> dict:
    return Plan("deploy", "e.yaml", instances=[InstanceChange("web", "web", "demo.Web", action, reason)]).to_json()


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("action", TOLD)
def test_every_rendering_tells_what_happens_and_why(action: Action, reason: Reason) -> None:
    plan = document(action, reason)
    words = reason.fate if reason.fate and action in (Action.READ, Action.RUN) else action.fate
    told = f"{words} ({reason.words})" if reason.words else words
    for rendered in (plan_text(plan), plan_html(plan), dot(graph_of(plan))):
        assert told in rendered


@pytest.mark.parametrize("action", TOLD)
def test_a_legend_explains_what_is_used(action: Action) -> None:
    assert action.meaning in plan_text(document(action, Reason.ADD))


def test_a_plan_keeps_what_it_says_when_it_is_read_back() -> None:
    plan = document(Action.UPDATE, Reason.FORCE)
    assert Plan.from_json(plan).to_json() == plan
