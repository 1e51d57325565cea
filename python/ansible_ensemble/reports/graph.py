"""The graph of a topology and of what a plan does to it, from JSON documents alone, for Graphviz and Mermaid.

An arrow goes from what comes first to what waits for it. Boxes are not grouped: an edge would cross a group's title.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.actions import Action
from ansible_ensemble.reports.names import operation_title
from ansible_ensemble.reports.plan_words import fate
from ansible_ensemble.reports.style import STATUS_COLOURS, WEB

_GREY = WEB["grey"]
#: Colours, that of what is most in need of a look first.
_WORST = [WEB[name] for name in ("red", "yellow", "green", "cyan", "blue", "grey")]


class Box(Struct, frozen=True):
    """An instance or an operation.

    Attributes:
        name: of the instance, or the operation's key.
        title: what stands in it.
        words: what becomes of it, or how it is.
        colour: the colour that goes with these.
    """

    name: str
    title: str
    words: str
    colour: str


class Graph(Struct, frozen=True):
    """Boxes, and edges between them by their numbers: from what comes first to what waits for it, each once."""

    boxes: list[Box]
    edges: list[tuple[int, int]]


def graph_of(plan: dict[str, Any], *, operations: bool = False) -> Graph:
    """The graph of a plan.

    Args:
        plan: a plan's document, and perhaps `instances`, which are drawn also if the plan does not change them: of each
            `name`, `status`, `state`, `used`, and `needs`, the names of those that it needs.
        operations: draw each operation, rather than each instance.
    """
    boxes = dict(_operations(plan) if operations else _instances(plan))
    number = {key: place for place, key in enumerate(boxes)}
    edges = dict.fromkeys(edge for edge in _order(plan, operations) if edge[0] != edge[1])
    if not operations:
        needs = [(other, one["name"]) for one in plan.get("instances", ()) for other in one["needs"]]
        edges |= dict.fromkeys((a, b) for a, b in needs if a in boxes and (b, a) not in edges and a != b)
    return Graph(list(boxes.values()), sorted((number[first], number[then]) for first, then in edges))


def grouped(graph: Graph, groups: Mapping[str, str]) -> Graph:
    """The graph with one box for all boxes of a group, in the colour of the one that is worst.

    Args:
        graph: a graph of instances.
        groups: of each instance that has one, its group; the others stay alone.
    """
    members: dict[str, list[int]] = {}
    for number, box in enumerate(graph.boxes):
        members.setdefault(groups.get(box.name) or box.name, []).append(number)
    number_of = {number: place for place, numbers in enumerate(members.values()) for number in numbers}
    boxes = [
        graph.boxes[numbers[0]] if len(numbers) == 1 else _group(name, [graph.boxes[number] for number in numbers])
        for name, numbers in members.items()
    ]
    edges = {(number_of[first], number_of[then]) for first, then in graph.edges}
    return Graph(boxes, sorted((first, then) for first, then in edges if first != then))


def _group(name: str, boxes: list[Box]) -> Box:
    colour = min((box.colour for box in boxes), key=_WORST.index)
    return Box(name, name, f"{len(boxes)} instances", colour)


def dot(graph: Graph) -> str:
    """The graph in Graphviz's language."""
    lines = ["digraph ensemble {", "  rankdir=LR", '  node [shape=box, style=rounded, fontname="sans-serif"]']
    for number, box in enumerate(graph.boxes):
        lines.append(f'  n{number} [label="{_dot(box.title)}\\n{_dot(box.words)}", color="{box.colour}"]')
    return "\n".join([*lines, *(f"  n{first} -> n{then}" for first, then in graph.edges), "}"]) + "\n"


def mermaid(graph: Graph) -> str:
    """The graph in Mermaid's language."""
    lines = ["flowchart LR"]
    for number, box in enumerate(graph.boxes):
        lines.append(f'  n{number}["{_mermaid(box.title)}<br>{_mermaid(box.words)}"]')
        lines.append(f"  style n{number} stroke:{box.colour}")
    return "\n".join([*lines, *(f"  n{first} --> n{then}" for first, then in graph.edges)]) + "\n"


def _instances(plan: dict[str, Any]) -> Iterator[tuple[str, Box]]:
    """The boxes of the instances: those that change, then the others."""
    changed: set[str] = set()
    for change in plan["resource_changes"]:
        action = Action(change["symbol"])
        if action is not Action.NONE:
            name = change["address"]
            changed.add(name)
            yield name, Box(name, f"{change['symbol']} {name}", fate(change), WEB[action.colour])
    for one in plan.get("instances", ()):
        if one["name"] not in changed:
            changed.add(one["name"])
            words = one["status"] + (", used" if one.get("used") else f" ({one['state']})" if one["state"] else "")
            yield one["name"], Box(one["name"], one["name"], words, WEB[STATUS_COLOURS.get(one["status"], "grey")])
    others = [change["address"] for change in plan["resource_changes"]]
    others += [operation["instance"] for operation in plan["operations"]]
    yield from ((name, Box(name, name, "", _GREY)) for name in dict.fromkeys(others) if name not in changed)


def _operations(plan: dict[str, Any]) -> Iterator[tuple[str, Box]]:
    colours = {change["address"]: WEB[Action(change["symbol"]).colour] for change in plan["resource_changes"]}
    for operation in plan["operations"]:
        name = operation["instance"]
        yield operation["key"], Box(operation["key"], name, operation_title(operation), colours.get(name, _GREY))


def _order(plan: dict[str, Any], operations: bool) -> Iterator[tuple[str, str]]:
    """Pairs of what comes first and what waits for it."""
    name = {operation["key"]: operation["key" if operations else "instance"] for operation in plan["operations"]}
    for operation in plan["operations"]:
        before: Sequence[str] = (*operation["waits_for"], *operation["waits_end"])
        yield from ((name[key], name[operation["key"]]) for key in before if key in name)


def _dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _mermaid(text: str) -> str:
    for character, code in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "#96;")):
        text = text.replace(character, code)
    return text.replace("\n", "<br>")
