"""The recorded status of an ensemble as text, from its JSON document alone."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.reports.inputs_text import inputs_lines
from ansible_ensemble.reports.outputs_text import outputs_text
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import labelled, row_lines
from ansible_ensemble.reports.values import clean, one_line


def status_text(status: dict[str, Any], style: Style | None = None, *, verbose: bool = False) -> str:
    """The tree of instances, each below the one that hosts it.

    Args:
        status: `ensemble`, `status`, `last_job` (`change_id`, `workflow`, `start_time`, `summary`; or null),
            `inputs`, `outputs`, `warnings`, and `instances`: a list of `name`, `template`, `type`, `host`, `status`,
            `local_status`, `state`, `created`, `used`, `protected`, `attributes`.
        style: how to emphasise; plain when left out.
        verbose: also attributes.
    """
    style = style or Style()
    instances = status["instances"]
    overall = status.get("status")
    title = clean(shown_path(status["ensemble"])) + (f": {style.status(overall)}" if overall else "")
    lines = [style.strong(title)]
    if not instances:
        lines.append("No instances are recorded.")
    else:
        ordered = _tree(instances)
        rows = [_row(instance, prefix, style) for instance, prefix in ordered]
        for shown, (instance, prefix) in zip(row_lines(rows, columns=style.columns, spare=(4, 3)), ordered):
            lines += shown
            if verbose:
                indent = " " * (len(prefix) + 4)
                lines += [
                    style.faint(f"{indent}{clean(name)}: {one_line(value)}")
                    for name, value in instance.get("attributes", {}).items()
                ]
    inputs = [{"name": name, **one} for name, one in (status.get("inputs") or {}).items()]
    if inputs:
        lines += ["", *inputs_lines(inputs, style)][:-1]
    outputs = status.get("outputs") or {}
    if outputs:
        lines += ["", style.strong("Outputs:")]
        lines += [f"  {line}" for line in outputs_text(outputs, every=verbose)]
    last = status.get("last_job")
    if last:
        names = ", ".join(clean(str(last[key])) for key in ("change_id", "workflow") if last.get(key))
        lines += ["", style.faint(f"Last job: {names}: {clean(str(last.get('summary') or ''))}")]
    warnings = status.get("warnings") or []
    if warnings:
        lines.append("")
        for text in warnings:
            lines += labelled(style.warning("Warning:"), clean(text), style.columns)
    return "\n".join(lines) + "\n"


def _row(instance: dict[str, Any], prefix: str, style: Style) -> list[str]:
    return [
        prefix + clean(instance["name"]),
        _status(instance, style),
        "" if instance.get("used") else instance.get("state") or "",
        _origin(instance),
        style.faint(clean(instance.get("type") or instance["template"])),
    ]


def _status(instance: dict[str, Any], style: Style) -> str:
    """The status, and the instance's own where what it needs makes it worse."""
    status, own = instance["status"], instance.get("local_status")
    return style.status(status) + (f" (itself {own})" if own and own != status else "")


def _origin(instance: dict[str, Any]) -> str:
    created = instance.get("created")
    if not created:
        origin = "" if instance["status"] in ("absent", "pending") else "not created here"
    elif instance.get("used"):
        origin = "used"
    elif str(created).startswith("::"):
        origin = f"managed by {str(created)[2:]}"
    else:
        origin = f"created by {created}"
    return ", ".join(filter(None, (origin, "protected" if instance.get("protected") else "")))


def _tree(instances: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """The instances, each behind its host, with the branches drawn before its name."""
    names = {instance["name"] for instance in instances}
    below: dict[str | None, list[dict[str, Any]]] = {}
    for instance in instances:
        host = instance.get("host")
        below.setdefault(host if host in names else None, []).append(instance)
    ordered: list[tuple[dict[str, Any], str]] = []
    stack = [(instance, "", "") for instance in reversed(below.get(None, []))]
    while stack:
        instance, prefix, indent = stack.pop()
        ordered.append((instance, prefix))
        children = below.get(instance["name"], [])
        branches = [("├─ ", "│  ")] * (len(children) - 1) + [("└─ ", "   ")]
        stack += reversed([(child, indent + b, indent + i) for child, (b, i) in zip(children, branches)])
    return ordered
