"""The outputs of a topology as text."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.table import table
from ansible_ensemble.reports.values import block, clean, few, is_secret, is_short, one_line


def outputs_text(outputs: dict[str, Any], *, every: bool = True) -> list[str]:
    """Lines of names and values: the short ones aligned, then the long ones in blocks, cut if not `every`."""
    short = {name: value for name, value in outputs.items() if is_short(value)}
    lines = table([[f"{clean(name)}:", _plain(value)] for name, value in short.items()])
    for name, value in outputs.items():
        if name not in short:
            lines.append(f"{clean(name)}:")
            lines += [f"  {line}" for line in few(block(value), every=every)]
    return lines


def _plain(value: Any) -> str:
    """The value as one copies it: a URL needs no quotes."""
    copies = isinstance(value, str) and value and value.isprintable() and not is_secret(value)
    return value if copies else one_line(value)
