"""Pictures of graphs: nothing is drawn over a box, whatever the graph."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from ansible_ensemble.reports.graph import Box, Graph
from ansible_ensemble.reports.graph_layout import BOX_HEIGHT, layout
from ansible_ensemble.reports.graph_svg import graph_svg

SVG = "{http://www.w3.org/2000/svg}"


def graph(count: int, *, circles: bool = False) -> Graph:
    """A graph of so many boxes, each behind up to three others."""
    chance = random.Random(count)
    boxes = [Box(f"node_{number}", f"node_{number}", "ok (started)", "#2e7d32") for number in range(count)]
    edges = {(chance.randrange(then), then) for then in range(1, count) for _ in range(chance.randrange(4))}
    if circles:
        edges |= {(then, first) for first, then in list(edges)[::7]}
    return Graph(boxes, sorted(edges))


def points(path: str) -> list[tuple[float, float]]:
    """Points along a line."""
    found: list[tuple[float, float]] = []
    for command, text in re.findall(r"([MLC])([^MLC]+)", path):
        numbers = list(map(float, text.split()))
        corners = list(zip(numbers[::2], numbers[1::2]))
        if command == "C":
            corners = [found[-1], *corners]
            for step in range(1, 21):
                t = step / 20
                parts = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]
                found.append(tuple(sum(p * c[axis] for p, c in zip(parts, corners)) for axis in (0, 1)))  # type: ignore[arg-type]
        else:
            start = found[-1] if found and command == "L" else corners[0]
            found += [
                tuple(start[axis] + (corners[0][axis] - start[axis]) * step / 20 for axis in (0, 1))  # type: ignore[misc]
                for step in range(21)
            ]
    return found


@pytest.mark.parametrize("count", [1, 2, 10, 40, 200])
@pytest.mark.parametrize("circles", [False, True])
def test_no_edge_crosses_a_box(count: int, circles: bool) -> None:
    picture = ElementTree.fromstring(graph_svg(graph(count, circles=circles)))
    rects = [rect for group in picture.iter(f"{SVG}g") for rect in group.iter(f"{SVG}rect")]
    boxes = [[float(rect.get(name, "")) for name in ("x", "y", "width", "height")] for rect in rects]
    assert len(boxes) == count
    for path in picture.findall(f"{SVG}path"):
        for x, y in points(path.get("d", "")):
            assert not any(
                left + 0.2 < x < left + across - 0.2 and top < y < top + down for left, top, across, down in boxes
            )


@pytest.mark.parametrize("count", [1, 10, 40, 200])
def test_no_box_covers_another(count: int) -> None:
    placed = layout(graph(count))
    for column in placed.columns:
        for above, below in pairwise(column):
            assert below.y - above.y >= (above.height + below.height) / 2
    assert placed.height >= BOX_HEIGHT


def test_of_a_circle_everything_is_drawn() -> None:
    boxes = [Box(name, name, "", "#000") for name in "abc"]
    picture = ElementTree.fromstring(graph_svg(Graph(boxes, [(0, 1), (1, 2), (2, 0)])))
    assert len(list(picture.iter(f"{SVG}g"))) == len(picture.findall(f"{SVG}path")) == 3


def test_an_empty_graph_is_an_empty_picture() -> None:
    assert ElementTree.fromstring(graph_svg(Graph([], []))).tag == f"{SVG}svg"


def test_names_cannot_break_out() -> None:
    text = graph_svg(Graph([Box("a", "</text><script>\x1b", "a & b", "#000")], []))
    assert "<script>" not in text and "\x1b" not in text
    assert any("a & b" in (part.text or "") for part in ElementTree.fromstring(text).iter(f"{SVG}text"))
