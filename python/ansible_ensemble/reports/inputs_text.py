"""Inputs that are not as the specification has them, as text: with where each is from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import pad, width
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
        yield f"  {symbol} {name} {_value(one)} {origin}"
    if any(one["origin"].startswith("given to") for one in inputs):
        yield style.faint(f"    {hint}")
    yield ""


def _value(one: Mapping[str, Any]) -> str:
    if one["sensitive"]:
        return _SECRET + (" changes" if "before" in one else "")
    return f"{one_line(one['before'])} -> {one_line(one['value'])}" if "before" in one else one_line(one["value"])
