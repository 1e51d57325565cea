from __future__ import annotations

import pytest

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.planning.plan import Exclusion, InstanceChange, Plan, ValueChange
from ansible_ensemble.reports.plan_html import plan_html
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.reports.style import Style


def one_change(*values: ValueChange, action: Action = Action.UPDATE) -> str:
    change = InstanceChange("app", "app", "demo.App", action, Reason.RECONFIGURE, "", "ok", list(values))
    return plan_text(Plan("deploy", "ensemble.yaml", instances=[change]).to_json())


def test_the_whole_plan(document, expect):
    expect("plan.txt", plan_text(document("plan")))


def test_the_whole_plan_verbose(document, expect):
    expect("plan-verbose.txt", plan_text(document("plan"), verbose=True))


def test_the_last_line_counts():
    assert one_change().splitlines()[-1] == "Plan: 0 to add, 1 to change, 0 to destroy."


def test_an_empty_plan_says_so():
    assert plan_text(Plan("deploy", "ensemble.yaml").to_json()) == (
        "No changes. Everything matches the specification.\n"
    )


@pytest.mark.parametrize(
    ("workflow", "options", "left_alone", "said"),
    [
        ("deploy", {}, ["db"], "Left alone: db. Everything else matches the specification."),
        (
            "deploy",
            {},
            list("abcdefg"),
            "Left alone: a, b, c, d, e and 2 more. Everything else matches the specification.",
        ),
        ("deploy", {"instances": ["app"]}, [], "What the filter names matches the specification."),
        (
            "deploy",
            {"templates": ["app"]},
            ["b"],
            "Left alone: b. What else the filter names matches the specification.",
        ),
        ("deploy", {"change_detection": "skip"}, [], "There is nothing to do."),
        ("undeploy", {}, [], "There is nothing to undeploy."),
        ("undeploy", {}, ["db"], "Left alone: db. There is nothing else to do."),
        ("release", {}, [], "There is nothing to do."),
    ],
)
def test_an_empty_plan_says_no_more_than_is_so(
    workflow: str, options: dict[str, object], left_alone: list[str], said: str
) -> None:
    excluded = [Exclusion(name, "it is no longer in the spec, and --prune is not set") for name in left_alone]
    plan = Plan(workflow, "ensemble.yaml", options=options, excluded=excluded).to_json()
    assert plan_text(plan).splitlines()[-1] == f"No changes. {said}"
    assert f"No changes. {said}" in plan_html(plan)


def test_an_empty_plan_still_tells_what_is_left_alone_and_warnings(document):
    plan = document("plan") | {"resource_changes": [], "operations": [], "output_changes": {}}
    plan["summary"] = dict.fromkeys(plan["summary"], 0)
    lines = plan_text(plan).splitlines()
    assert "Left alone:" in lines
    assert "Warning: --instance leaves out db, which app needs" in lines
    assert lines[-1].startswith("No changes.")


def test_the_legend_lists_used_symbols_only():
    text = one_change(action=Action.DELETE)
    assert "-  delete" in text
    assert "create" not in text.split("# app")[0]


def test_a_sensitive_value_is_never_shown_even_if_the_document_held_it():
    value = ValueChange("property", "password", "old-secret", "new-secret", sensitive=True)
    text = one_change(value)
    assert "(sensitive value)" in text
    assert "secret" not in text


def test_a_redacted_part_of_a_value_reads_as_sensitive():
    text = one_change(ValueChange("property", "login", None, {"user": "me", "password": "<<REDACTED>>"}))
    assert "login: {user: me, password: (sensitive value)}" in text


def test_a_value_known_later_says_so():
    assert "~ url: a -> (known after deploy)" in one_change(ValueChange("property", "url", "a", None, unknown=True))


def test_long_text_is_cut_unless_verbose():
    change = InstanceChange(
        "app", "app", "demo.App", Action.CREATE, Reason.ADD, "", None,
        [ValueChange("property", "script", None, "\n".join(f"line {n}" for n in range(40)))],
    )  # fmt: skip
    plan = Plan("deploy", "ensemble.yaml", instances=[change]).to_json()
    assert "line 39" not in plan_text(plan)
    assert "(28 more lines; -v shows all)" in plan_text(plan)
    assert "line 39" in plan_text(plan, verbose=True)


def test_a_value_cannot_drive_the_terminal():
    text = one_change(ValueChange("property", "evil", None, "\x1b[2J\x07gone"))
    assert "\x1b" not in text
    assert "\x07" not in text


def test_names_are_aligned_by_the_width_a_terminal_shows():
    lines = one_change(
        ValueChange("property", "名前", None, 1), ValueChange("property", "long_name", None, 2)
    ).splitlines()
    first, second = (next(line for line in lines if name in line) for name in ("名前", "long_name"))
    assert first.index(" 1") + 2 == second.index(" 2")


def test_colour_only_where_asked(document):
    plain = plan_text(document("plan"))
    coloured = plan_text(document("plan"), Style(colour=True))
    assert "\x1b[" not in plain
    assert "\x1b[32m+\x1b[0m" in coloured


def test_steps_that_run_nothing_are_not_listed(document):
    plan = document("plan")
    for operation in plan["operations"]:
        if operation["key"] == "server:Standard.create":
            operation["implementation"] = ""
    assert "      runs configure\n" in plan_text(plan)


def test_what_is_only_looked_at_takes_a_line_each():
    changes = [InstanceChange(name, name, "demo.App", Action.READ, Reason.CHECK) for name in ("app", "database")]
    lines = plan_text(Plan("check", "ensemble.yaml", instances=changes).to_json()).splitlines()
    assert "  <= app       will be checked  (demo.App)" in lines
    assert "  <= database  will be checked  (demo.App)" in lines


@pytest.mark.parametrize(("host", "words"), [("HOST", "on its host"), ("web1", "on web1"), ("SOURCE", "on the source")])
def test_where_an_operation_runs_is_said_in_words(document, host, words):
    plan = document("plan")
    for operation in plan["operations"]:
        operation["host"] = host
    lines = [line for line in plan_text(plan, verbose=True).splitlines() if line.strip().startswith(">")]
    assert lines
    assert all(words in line for line in lines)
