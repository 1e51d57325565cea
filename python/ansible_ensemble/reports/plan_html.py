"""A plan as a self-contained web page, from its JSON document alone."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from ansible_ensemble.core.actions import Action
from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.reports.graph import graph_of
from ansible_ensemble.reports.graph_svg import graph_svg
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import key_title, operation_title
from ansible_ensemble.reports.plan_words import fate, legend, running, summary_line, where_it_runs, would_change
from ansible_ensemble.reports.style import WEB
from ansible_ensemble.reports.values import block, diff_lines, is_short, one_line

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --faint: #8889; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre, td { font-family: ui-monospace, monospace; font-size: .9rem; }
details { border: 1px solid var(--line); border-left: .4rem solid var(--c, var(--line)); border-radius: .3rem;
  margin: .6rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } summary b { font-family: ui-monospace, monospace; color: var(--c); }
table { border-collapse: collapse; margin: .5rem 0; } th { text-align: left; font-weight: 500; }
td, th { padding: .15rem 1.2rem .15rem 0; vertical-align: top; } pre { margin: 0; white-space: pre-wrap; }
.graph { overflow: auto; max-height: 80vh; margin: 1rem 0; border: 1px solid var(--line); background: #fff; }
.faint { opacity: .7; } .total { font-weight: 600; font-size: 1.1rem; margin: 1.5rem 0; }
"""


def plan_html(plan: dict[str, Any], *, operations: bool = False) -> str:
    """The plan, and the graph of it, as an HTML document without scripts and without references to other files."""
    title = f"Plan of {plan['workflow']} for {shown_path(plan['ensemble'])}"
    runs = running(plan)
    graph = graph_of(plan, operations=operations)
    outputs = [value for change in plan["output_changes"].values() for value in change["values"]]
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="total">{_text(summary_line(plan))}</p>',
        f'<div class="graph">{graph_svg(graph)}</div>' if graph.boxes else "",
        _legend(plan),
        *(f"<p><strong>Warning:</strong> {_text(warning)}</p>" for warning in plan["warnings"]),
        *(_instance(change, runs) for change in plan["resource_changes"]),
    ]
    if outputs:
        parts += ["<h2>Outputs</h2>", _values(outputs)]
    if plan["excluded"]:
        rows = ([_text(item["instance"]), _text(item["reason"])] for item in plan["excluded"])
        parts += ["<h2>Left alone</h2>", _table(rows)]
    if plan.get("not_compared"):
        rows = ([_text(what), _text(", ".join(names))] for what, names in plan["not_compared"].items())
        parts += ["<h2>Not compared</h2>", _table(rows)]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{_text(title)}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n'
        + "\n".join(filter(None, parts))
        + "\n</body></html>\n"
    )


def _legend(plan: dict[str, Any]) -> str:
    words = [f"{action.value} {action.meaning}" for action in legend(plan)]
    return f'<p class="faint">{_text(" · ".join(words))}</p>' if words else ""


def _instance(change: dict[str, Any], operations: dict[str, dict[str, Any]]) -> str:
    symbol, name = change["symbol"], change["address"]
    colour = WEB[Action(symbol).colour]
    head = f"<b>{_text(symbol)} {_text(name)}</b> {_text(fate(change))}"
    kind = f'<span class="faint">{_text(change["type"])}</span>'
    runs = [operations[key] for key in change["operations"] if key in operations]
    body = _values(change["change"]["values"]) + _runs(runs) + "".join(map(_prediction, runs))
    shown = " open" if change["change"]["values"] else ""
    return f'<details style="--c: {colour}"{shown}><summary>{head} {kind}</summary>{body}</details>'


def _values(values: list[dict[str, Any]]) -> str:
    rows = ([_text(str(value["name"])), _text(str(value["kind"])), _change(value)] for value in values)
    return _table(rows, ("Value", "Kind", "Change")) if values else ""


def _change(value: dict[str, Any]) -> str:
    before, after = value.get("before"), value.get("after")
    if value.get("sensitive"):
        return "(sensitive value)"
    if value.get("unknown"):
        return (f"{_text(one_line(before))} → " if before is not None else "") + "(known after deploy)"
    if is_short(before) and is_short(after):
        return " → ".join(_text(one_line(one)) for one in (before, after) if one is not None)
    lines = block(after) if before is None else diff_lines(before, after)
    return f"<pre>{_text(chr(10).join(lines))}</pre>"


def _runs(operations: list[dict[str, Any]]) -> str:
    rows = (
        [
            _text(operation_title(operation)),
            _text(operation["implementation"]),
            _text(where_it_runs(operation["host"])),
            _text(", ".join(map(key_title, [*operation["waits_for"], *operation["waits_end"]]))),
        ]
        for operation in operations
    )
    return _table(rows, ("Operation", "Runs", "Where", "After")) if operations else ""


def _prediction(operation: dict[str, Any]) -> str:
    found = operation.get("prediction")
    if not found:
        return ""
    title = _text(operation_title(operation))
    if found.get("unpredictable"):
        return f"<p>{title}: cannot be predicted, {_text(found['unpredictable'])}</p>"
    lines = _text("\n".join(module_diff(found.get("diff") or [])))
    return f"<p>{title}: {would_change(found)}</p>" + (f"<pre>{lines}</pre>" if lines else "")


def _table(rows: Iterable[list[str]], heads: tuple[str, ...] = ()) -> str:
    head = f"<tr>{''.join(f'<th>{_text(name)}</th>' for name in heads)}</tr>" if heads else ""
    return f"<table>{head}{''.join(_row(row) for row in rows)}</table>"


def _row(cells: list[str]) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _text(text: str) -> str:
    return html.escape(text)
