"""What is drawn of a graph, in pixels, for a picture or a page."""

from __future__ import annotations

from math import ceil

from msgspec import Struct

from ansible_ensemble.reports.graph import Box, Graph
from ansible_ensemble.reports.graph_layout import BOX_HEIGHT, Layout, Spot, layout
from ansible_ensemble.reports.table import width

#: The most characters of a title.
LONGEST = 48
#: What is left free beside a text.
BESIDE = 14.0
#: How much narrower the characters of the words are.
SMALL = 0.86
_CHARACTER = 8.0
#: Between two columns.
_BETWEEN = 70.0


class DrawnBox(Struct, frozen=True):
    """A box and its rectangle."""

    box: Box
    left: float
    top: float
    width: float
    height: float


class DrawnEdge(Struct, frozen=True):
    """The numbers of the boxes that an edge leads from and to, and its path in SVG's language."""

    first: int
    then: int
    path: str


class Drawing(Struct, frozen=True):
    """Boxes and edges, and how large the whole is."""

    width: float
    height: float
    boxes: list[DrawnBox]
    edges: list[DrawnEdge]


def draw(graph: Graph) -> Drawing:
    """Place the boxes and edges of a graph; the boxes keep their numbers."""
    placed = layout(graph)
    lefts, widths = _columns(graph, placed)
    boxes = {
        spot.box: DrawnBox(
            graph.boxes[spot.box], lefts[spot.column], spot.y - BOX_HEIGHT / 2, widths[spot.column], BOX_HEIGHT
        )
        for column in placed.columns
        for spot in column
        if spot.box is not None
    }
    edges = [
        DrawnEdge(first, then, _path(route, lefts, widths))
        for (first, then), route in zip(graph.edges, placed.routes, strict=True)
    ]
    across = lefts[-1] + widths[-1] if lefts else 0.0
    return Drawing(across, placed.height, [boxes[number] for number in range(len(graph.boxes))], edges)


def _columns(graph: Graph, placed: Layout) -> tuple[list[float], list[float]]:
    lefts, widths, left = [], [], 0.0
    for column in placed.columns:
        cells = [_cells(graph.boxes[spot.box]) for spot in column if spot.box is not None]
        lefts.append(left)
        widths.append(max(cells) * _CHARACTER + 2 * BESIDE)
        left += widths[-1] + _BETWEEN
    return lefts, widths


def _cells(box: Box) -> int:
    return min(LONGEST, max(width(box.title), ceil(width(box.words) * SMALL)))


def _path(route: list[Spot], lefts: list[float], widths: list[float]) -> str:
    """A line that bends between columns only, and passes them straight through its lanes."""
    forward = route[-1].column >= route[0].column
    first, *lanes, last = route
    drawn = f"M{_side(first, lefts, widths, right=forward)}"
    here = first
    for spot in (*lanes, last):
        enters = _side(spot, lefts, widths, right=not forward or spot.column == here.column)
        drawn += _bend(_side(here, lefts, widths, right=forward), enters)
        if spot is not last:
            drawn += f" L{_side(spot, lefts, widths, right=forward)}"
        here = spot
    return drawn


def _side(spot: Spot, lefts: list[float], widths: list[float], *, right: bool) -> str:
    return f"{lefts[spot.column] + (widths[spot.column] if right else 0.0):.1f} {spot.y:.1f}"


def _bend(start: str, end: str) -> str:
    (x1, y1), (x2, y2) = (map(float, point.split()) for point in (start, end))
    middle = (x1 + x2) / 2 if x1 != x2 else x1 + _BETWEEN / 2
    return f" C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {end}"
