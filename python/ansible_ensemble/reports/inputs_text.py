"""Inputs as text: those that are not as the specification has them, and those that jobs can be given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import pad, table, width
from ansible_ensemble.reports.values import clean, one_line

#: What ends that a value lasts.
RESET = "--reset-input NAME goes back to the specification's value"
_SECRET = "(sensitive value)"


def inputs_lines(inputs: Sequence[Mapping[str, Any]], style: Style, hint: str = RESET) -> Iterator[str]:
    """The lines of inputs, with a heading; nothing where there are none.

    Args:
        inputs: each with its `name`, `value`, `origin`, whether it is `sensitive`, and the value `before` it if it
            changes; it has a `job` where it was given to one.
        style: how to emphasise.
        hint: how to go back to the specification's.
    """
    if not inputs:
        return
    yield style.strong("Inputs:")
    longest = max(width(clean(one["name"])) for one in inputs)
    for one in inputs:
        symbol = style.symbol("~") if "before" in one else " "
        name = pad(f"{clean(one['name'])}:", longest + 1)
        origin = style.faint(f"({clean(one['origin'])})")
        yield f"  {symbol} {name} {input_value(one)} {origin}"
    if any(one["origin"].startswith("given to") for one in inputs):
        yield style.faint(f"    {hint}")
    yield ""


def declared_inputs_text(document: Mapping[str, Any], style: Style) -> str:
    """Tables of the inputs that jobs can be given: those of the topology, then those of its workflows.

    Args:
        document: `inputs`, and `workflows` with those of each; as `survey.survey` takes them.
        style: how to emphasise.
    """
    parts = [_declared(document["inputs"], style)] if document["inputs"] else []
    for workflow, inputs in document["workflows"].items():
        if inputs:
            parts.append(f"Of the workflow {clean(workflow)}:\n{_declared(inputs, style)}")
    return "\n".join(parts) or "There are no inputs.\n"


def _declared(inputs: Sequence[Mapping[str, Any]], style: Style) -> str:
    rows = [[style.strong(head) for head in ("INPUT", "TYPE", "VALUE", "DESCRIPTION")]]
    rows += [
        [
            clean(one["name"]),
            clean(one["type"] if one["entry"] is None else f"{one['type']} of {one['entry']['type']}"),
            _begins_with(one, style),
            clean(one["description"] or ""),
        ]
        for one in inputs
    ]
    return "\n".join(table(rows, columns=style.columns, spare=(3, 2), empty=(3,))) + "\n"


def _begins_with(one: Mapping[str, Any], style: Style) -> str:
    if one["required"]:
        return style.warning("required")
    if one["secret"]:
        return _SECRET
    return one_line(one["default"]) if "default" in one else ""


def input_value(one: Mapping[str, Any]) -> str:
    """The value of an input of a plan, and the one before it if it changes."""
    if one["sensitive"]:
        return _SECRET + (" changes" if "before" in one else "")
    return f"{one_line(one['before'])} -> {one_line(one['value'])}" if "before" in one else one_line(one["value"])
