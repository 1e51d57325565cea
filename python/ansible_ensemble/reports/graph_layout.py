"""Where the boxes of a graph are drawn: in columns from left to right.

Each edge that passes a column has a lane through it, so that no edge crosses a box.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean

from msgspec import Struct

from ansible_ensemble.reports.graph import Graph

BOX_HEIGHT = 46.0
_LANE_HEIGHT = 10.0
_GAP, _LANE_GAP = 14.0, 3.0
#: How often the order within columns is improved.
_SWEEPS = 8


@dataclass(slots=True)
class Spot:
    """A place in a column: a box, or a lane of an edge.

    Attributes:
        column: its column, from the left.
        box: the number of its box; None for a lane.
        before, behind: the spots to which edges lead, in the columns beside it.
        y: its middle.
    """

    column: int
    box: int | None
    before: list[Spot] = field(default_factory=list, repr=False)
    behind: list[Spot] = field(default_factory=list, repr=False)
    y: float = 0.0

    @property
    def height(self) -> float:
        """How high it is."""
        return _LANE_HEIGHT if self.box is None else BOX_HEIGHT


class Layout(Struct, frozen=True):
    """Columns of spots from top to bottom, and of each edge the spots that it passes, from what comes first."""

    columns: list[list[Spot]]
    routes: list[list[Spot]]

    @property
    def height(self) -> float:
        """The height of the whole."""
        return max((spot.y + spot.height / 2 for column in self.columns for spot in column), default=0.0)


def layout(graph: Graph) -> Layout:
    """Lay out a graph."""
    level = _levels(len(graph.boxes), graph.edges)
    boxes = [Spot(level[number], number) for number in range(len(level))]
    columns: list[list[Spot]] = [[] for _turn in range(max(level, default=-1) + 1)]
    for spot in boxes:
        columns[spot.column].append(spot)
    routes = []
    for first, then in graph.edges:
        route = _route(boxes[first], boxes[then])
        routes.append(route)
        for spot in route[1:-1]:
            columns[spot.column].append(spot)
    _arrange(columns)
    _place(columns)
    return Layout(columns, routes)


def _levels(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """The column of each box: behind all that come first. A circle is cut somewhere."""
    behind: list[list[int]] = [[] for _turn in range(count)]
    waiting = [0] * count
    for first, then in edges:
        behind[first].append(then)
        waiting[then] += 1
    level, done, others = [0] * count, [False] * count, iter(range(count))
    ready = deque(number for number in range(count) if not waiting[number])
    for _turn in range(count):
        number = ready.popleft() if ready else next(one for one in others if not done[one])
        done[number] = True
        for then in behind[number]:
            waiting[then] -= 1
            if not done[then]:
                level[then] = max(level[then], level[number] + 1)
                if not waiting[then]:
                    ready.append(then)
    return level


def _route(first: Spot, then: Spot) -> list[Spot]:
    """The spots from one box to another, through a lane of each column between them."""
    step = 1 if then.column >= first.column else -1
    lanes = [Spot(column, None) for column in range(first.column + step, then.column, step)]
    route = [first, *lanes, then]
    for left, right in pairwise(route if step > 0 else route[::-1]):
        left.behind.append(right)
        right.before.append(left)
    return route


def _arrange(columns: list[list[Spot]]) -> None:
    """Order each column so that few edges cross: by the mean place of what a spot leads to, back and forth."""
    place = {id(spot): float(number) for column in columns for number, spot in enumerate(column)}
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            beside = {id(spot): spot.before if sweep % 2 == 0 else spot.behind for spot in column}
            mean = {key: fmean(place[id(one)] for one in spots) for key, spots in beside.items() if spots}
            column.sort(key=lambda spot: mean.get(id(spot), place[id(spot)]))
            place |= {id(spot): float(number) for number, spot in enumerate(column)}


def _place(columns: list[list[Spot]]) -> None:
    """Give each spot its height: near what it leads to, with its distance to those above and below."""
    for column in columns:
        _stack(column, [0.0] * len(column))
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            wanted = [fmean([one.y for one in (*spot.before, *spot.behind)] or [spot.y]) for spot in column]
            _stack(column, wanted)
    top = min((spot.y - spot.height / 2 for column in columns for spot in column), default=0.0)
    for column in columns:
        for spot in column:
            spot.y -= top


def _stack(column: list[Spot], wanted: list[float]) -> None:
    """Place the spots of a column where they are wanted, but apart: between the best from above and from below."""
    apart = [
        (one.height + two.height) / 2 + (_LANE_GAP if one.box is two.box is None else _GAP)
        for one, two in pairwise(column)
    ]
    down = wanted[:]
    for number in range(1, len(down)):
        down[number] = max(down[number], down[number - 1] + apart[number - 1])
    up = wanted[:]
    for number in range(len(up) - 2, -1, -1):
        up[number] = min(up[number], up[number + 1] - apart[number])
    for spot, low, high in zip(column, down, up):
        spot.y = (low + high) / 2
