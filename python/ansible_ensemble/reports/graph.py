"""A plan as a graph for Graphviz or Mermaid, from its JSON document alone.

An arrow goes from what comes first to what waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ansible_ensemble.core.actions import Action
from ansible_ensemble.reports.names import operation_title
from ansible_ensemble.reports.plan_words import fate
from ansible_ensemble.reports.style import WEB

_GREY = WEB["grey"]


@dataclass(slots=True)
class _Group:
    """An instance: its label, colour, and the titles of its operations by key."""

    name: str
    label: str
    colour: str
    operations: dict[str, str] = field(default_factory=dict)


def dot(plan: dict[str, Any], *, operations: bool = False) -> str:
    """The plan in Graphviz's language: a box per instance, or one per operation, grouped by instance."""
    lines = ["digraph plan {", "  rankdir=TB", '  node [shape=box, style=rounded, fontname="sans-serif"]']
    groups = _groups(plan)
    numbers = _numbers(groups, operations)
    for number, group in enumerate(groups):
        if not operations:
            lines.append(f'  {numbers[group.name]} [label="{_dot(group.label)}", color="{group.colour}"]')
            continue
        lines.append(f'  subgraph cluster{number} {{ label="{_dot(group.label)}"; color="{group.colour}"')
        lines += [f'    {numbers[key]} [label="{_dot(title)}"]' for key, title in group.operations.items()]
        lines.append("  }")
    lines += [f"  {numbers[first]} -> {numbers[then]}" for first, then in _edges(plan, operations)]
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(plan: dict[str, Any], *, operations: bool = False) -> str:
    """The plan in Mermaid's language; see `dot`."""
    lines = ["flowchart TB"]
    groups = _groups(plan)
    numbers = _numbers(groups, operations)
    for number, group in enumerate(groups):
        if not operations:
            lines.append(f'  {numbers[group.name]}["{_mermaid(group.label)}"]')
            lines.append(f"  style {numbers[group.name]} stroke:{group.colour}")
            continue
        lines.append(f'  subgraph g{number}["{_mermaid(group.label)}"]')
        lines += [f'    {numbers[key]}["{_mermaid(title)}"]' for key, title in group.operations.items()]
        lines += ["  end", f"  style g{number} stroke:{group.colour}"]
    lines += [f"  {numbers[first]} --> {numbers[then]}" for first, then in _edges(plan, operations)]
    return "\n".join(lines) + "\n"


def _groups(plan: dict[str, Any]) -> list[_Group]:
    groups: dict[str, _Group] = {}
    for change in plan["resource_changes"]:
        label = f"{change['symbol']} {change['address']}\n{fate(change)}"
        groups[change["address"]] = _Group(change["address"], label, WEB[Action(change["symbol"]).colour])
    for operation in plan["operations"]:
        name = operation["instance"]
        group = groups.setdefault(name, _Group(name, name, _GREY))
        group.operations[operation["key"]] = operation_title(operation)
    return list(groups.values())


def _numbers(groups: list[_Group], operations: bool) -> dict[str, str]:
    names = [key for group in groups for key in group.operations] if operations else [group.name for group in groups]
    return {name: f"n{number}" for number, name in enumerate(names)}


def _edges(plan: dict[str, Any], operations: bool) -> list[tuple[str, str]]:
    """Pairs of what comes first and what waits for it, each once, in the plan's order."""
    name = {operation["key"]: operation["key" if operations else "instance"] for operation in plan["operations"]}
    edges = {
        (name[key], name[operation["key"]])
        for operation in plan["operations"]
        for key in (*operation["waits_for"], *operation["waits_end"])
        if key in name
    }
    order = {node: number for number, node in enumerate(dict.fromkeys(name.values()))}
    return sorted(
        ((first, then) for first, then in edges if first != then), key=lambda edge: (order[edge[0]], order[edge[1]])
    )


def _dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _mermaid(text: str) -> str:
    for character, code in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "#96;")):
        text = text.replace(character, code)
    return text.replace("\n", "<br>")
