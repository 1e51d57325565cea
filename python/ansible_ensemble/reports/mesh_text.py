"""The nodes of a mesh, and trials of their workers, as text, from their JSON documents alone."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import prose, table
from ansible_ensemble.reports.values import clean

_TRIED = ("NODE", "RESULT", "MS", "ENSEMBLE", "ANSIBLE-CORE", "PYTHON", "EXECUTES", "KEY")
_HEADS = ("NODE", "STATE", "VIA", "RECEPTOR", "CPUS", "MIB", "WORKER", "WORK TYPES", "PROBLEM")


def nodes_text(nodes: list[dict[str, Any]], style: Style) -> str:
    """A table of nodes, in the order given."""
    rows = [[style.strong(head) for head in _HEADS]]
    rows += [
        [
            clean(node["name"]),
            "here" if node["is_here"] else "reachable" if node["is_reachable"] else style.bad("unreachable"),
            clean(node["via"] or ""),
            clean(node["version"] or ""),
            str(node["cpus"] or ""),
            str(node["memory"] or ""),
            "yes" if node["has_worker"] else "no",
            clean(", ".join(node["work_types"])),
            clean(node["problem"] or ""),
        ]
        for node in nodes
    ]
    return "\n".join(table(rows, right={4, 5}, columns=style.columns, spare=(3, 5, 4), empty={2, 3, 4, 5, 7, 8})) + "\n"


def trials_text(trials: list[dict[str, Any]], style: Style) -> str:
    """A table of the workers that were tried, and below it what is wrong or different."""
    rows = [[style.strong(head) for head in _TRIED]]
    rows += [
        [
            clean(trial["node"]),
            style.bad("failed") if trial["problem"] else "different" if trial["differences"] else "ok",
            "" if trial["seconds"] is None else f"{trial['seconds'] * 1000:.1f}",
            *(clean((trial["hello"] or {}).get(name, "")) for name in ("version", "ansible_core", "python")),
            {True: "yes", False: "no", None: ""}[trial["executes"]],
            trial["fingerprint"] or "",
        ]
        for trial in trials
    ]
    lines = table(rows, right={2}, columns=style.columns, empty={2, 3, 4, 5, 6, 7})
    for trial in trials:
        told = [trial["problem"]] if trial["problem"] else trial["differences"]
        lines += [line for one in told for line in prose(clean(f"{trial['node']}: {one}"), style.columns)]
    return "\n".join(lines) + "\n"
