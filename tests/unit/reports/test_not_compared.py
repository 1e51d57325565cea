"""What nobody can compare is named in each rendering of a plan, and no plan says beside it that everything matches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.reports.plan_html import plan_html
from ansible_ensemble.reports.plan_markdown import plan_markdown
from ansible_ensemble.reports.plan_text import plan_text

LEFT = {"the lookup pipe": ["app", "<b>"]}


@pytest.mark.parametrize("render", [plan_text, plan_markdown, plan_html])
def test_it_is_named(render: Callable[[dict], str]):
    text = render(Plan("deploy", "ensemble.yaml", not_compared=LEFT).to_json())
    assert "Not compared" in text
    assert "the lookup pipe" in text
    assert "Everything that can be compared matches the specification." in text
    assert "Everything matches" not in text
    assert "<b>" not in plan_html(Plan("deploy", "ensemble.yaml", not_compared=LEFT).to_json())


def test_a_plan_without_it_says_that_everything_matches():
    assert "No changes. Everything matches the specification." in plan_text(Plan("deploy", "ensemble.yaml").to_json())


def test_it_is_read_again():
    assert Plan.from_json(Plan("deploy", "ensemble.yaml", not_compared=LEFT).to_json()).not_compared == LEFT
    older = Plan("deploy", "ensemble.yaml").to_json()
    del older["not_compared"]
    assert Plan.from_json(older).not_compared == {}


def test_of_many_instances_some_are_named():
    plan = Plan("deploy", "ensemble.yaml", not_compared={"facts (system)": [f"app{n}" for n in range(7)]}).to_json()
    assert "  facts (system)  app0, app1, app2, app3, app4, and 2 more\n" in plan_text(plan)
    assert "app6" in plan_text(plan, verbose=True)
