"""A plan as Markdown."""

from ansible_ensemble.reports.plan_markdown import plan_markdown

COMMENT = 65_536  # characters that a comment of GitHub holds


def test_the_plan(document, expect):
    expect("plan.md", plan_markdown(document("plan")))


def test_nothing_to_do(document):
    plan = {**document("plan"), "operations": [], "summary": {}, "resource_changes": [], "output_changes": {}}
    text = plan_markdown(plan)
    assert text.startswith("# No changes.")
    assert "<details>" not in text


def test_what_is_in_a_plan_cannot_leave_its_place(document):
    plan = document("plan")
    change = plan["resource_changes"][0]
    change["address"] = "a|b<i>\n# c"
    change["change"]["values"] = [{"name": "text", "kind": "property", "before": None, "after": "one\n```\n<b>\n"}]
    text = plan_markdown(plan)
    assert "| a\\|b\\<i\\><br># c |" in text
    assert "\n````diff\n" in text, "a longer fence than any within"


def test_a_long_plan_fits_into_a_comment(document):
    plan = document("plan")
    one = next(change for change in plan["resource_changes"] if change["symbol"] == "+")
    plan["resource_changes"] = [{**one, "address": f"node{number:04}"} for number in range(2000)]
    text = plan_markdown(plan)
    assert len(text) < COMMENT
    assert "and 1900 more instances" in text
    assert "more lines; the command shows them)" in text
    assert text.endswith("</details>\n")
