"""A plan as a self-contained web page, from its JSON document alone."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.actions import Action
from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.reports.graph import graph_of
from ansible_ensemble.reports.graph_svg import graph_svg
from ansible_ensemble.reports.inputs_text import input_value
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import key_title, operation_title
from ansible_ensemble.reports.page import drawing, page, table, text
from ansible_ensemble.reports.plan_words import (
    fate,
    handlers_of,
    legend,
    running,
    summary_line,
    where_it_runs,
    would_change,
)
from ansible_ensemble.reports.style import WEB
from ansible_ensemble.reports.values import block, diff_lines, is_short, one_line


def plan_html(plan: dict[str, Any], *, operations: bool = False) -> str:
    """The plan, and the graph of it, as an HTML document without scripts and without references to other files."""
    title = f"Plan of {plan['workflow']} for {shown_path(plan['ensemble'])}"
    runs = running(plan)
    graph = graph_of(plan, operations=operations)
    outputs = [value for change in plan["output_changes"].values() for value in change["values"]]
    moved = plan.get("moved", ())
    parts = [
        f"<h1>{text(title)}</h1>",
        f'<p class="total">{text(summary_line(plan))}</p>',
        drawing(graph_svg(graph), "Graph") if graph.boxes else "",
        _legend(plan),
        *(f"<p><strong>Warning:</strong> {text(warning)}</p>" for warning in plan["warnings"]),
        _inputs(plan.get("inputs") or []),
        *(f"<p>{text(one['previous_address'])} has moved to {text(one['address'])}</p>" for one in moved),
        *(_instance(change, runs) for change in plan["resource_changes"]),
    ]
    if outputs:
        parts += ["<h2>Outputs</h2>", _values(outputs)]
    if plan["excluded"]:
        rows = ([text(item["instance"]), text(item["reason"])] for item in plan["excluded"])
        parts += ["<h2>Left alone</h2>", table(rows)]
    if plan.get("not_compared"):
        rows = ([text(what), text(", ".join(names))] for what, names in plan["not_compared"].items())
        parts += ["<h2>Not compared</h2>", table(rows)]
    return page(title, parts)


def _legend(plan: dict[str, Any]) -> str:
    words = [f"{action.value} {action.meaning}" for action in legend(plan)]
    return f'<p class="faint">{text(" · ".join(words))}</p>' if words else ""


def _inputs(inputs: list[dict[str, Any]]) -> str:
    rows = [[text(one["name"]), text(input_value(one)), text(one["origin"])] for one in inputs]
    return f"<h2>Inputs</h2>{table(rows, ('Input', 'Value', 'From'))}" if rows else ""


def _instance(change: dict[str, Any], operations: dict[str, dict[str, Any]]) -> str:
    symbol, name = change["symbol"], change["address"]
    colour = WEB[Action(symbol).colour]
    head = f"<b>{text(symbol)} {text(name)}</b> {text(fate(change))}"
    kind = f'<span class="faint">{text(change["type"])}</span>'
    runs = [operations[key] for key in change["operations"] if key in operations]
    body = _values(change["change"]["values"]) + _found(change) + _runs(runs) + _handlers(runs)
    body += "".join(map(_prediction, runs))
    if change.get("leaves"):
        body += f'<p class="faint">undeploy leaves: {text(change["leaves"])}</p>'
    shown = " open" if change["change"]["values"] or change.get("found") else ""
    return f'<details style="--c: {colour}"{shown}><summary>{head} {kind}</summary>{body}</details>'


def _values(values: list[dict[str, Any]]) -> str:
    rows = ([text(str(value["name"])), text(str(value["kind"])), _change(value)] for value in values)
    return table(rows, ("Value", "Kind", "Change")) if values else ""


def _change(value: dict[str, Any]) -> str:
    before, after = value.get("before"), value.get("after")
    if value.get("sensitive"):
        return "(sensitive value)"
    if value.get("unknown"):
        return (f"{text(one_line(before))} → " if before is not None else "") + "(known after deploy)"
    if is_short(before) and is_short(after):
        return " → ".join(text(one_line(one)) for one in (before, after) if one is not None)
    lines = block(after) if before is None else diff_lines(before, after)
    return f"<pre>{text(chr(10).join(lines))}</pre>"


def _found(change: dict[str, Any]) -> str:
    """What the last check of an instance to repair found."""
    found = change.get("found")
    if not found:
        return ""
    drift = [one for one in found["drift"] if one["name"] != "status"]
    rows = ([text(one["name"]), text(one_line(one["recorded"])), text(one_line(one["live"]))] for one in drift)
    lines = text("\n".join(module_diff(found["diff"])))
    said = f"<p>{text(found['operation'])} {found['verb']}: {text(found['error'])}</p>"
    return (
        said + (table(rows, ("Value", "Recorded", "Live")) if drift else "") + (f"<pre>{lines}</pre>" if lines else "")
    )


def _runs(operations: list[dict[str, Any]]) -> str:
    rows = (
        [
            text(operation_title(operation)),
            text(operation["implementation"]),
            text(where_it_runs(operation)),
            text(", ".join(map(key_title, [*operation["waits_for"], *operation["waits_end"]]))),
        ]
        for operation in operations
    )
    return table(rows, ("Operation", "Runs", "Where", "After")) if operations else ""


def _handlers(operations: list[dict[str, Any]]) -> str:
    names = handlers_of(operations)
    return f"<p>May run the handlers {text(', '.join(names))}</p>" if names else ""


def _prediction(operation: dict[str, Any]) -> str:
    found = operation.get("prediction")
    if not found:
        return ""
    title = text(operation_title(operation))
    if found.get("unpredictable"):
        return f"<p>{title}: cannot be predicted, {text(found['unpredictable'])}</p>"
    lines = text("\n".join(module_diff(found.get("diff") or [])))
    return f"<p>{title}: {would_change(found)}</p>" + (f"<pre>{lines}</pre>" if lines else "")
