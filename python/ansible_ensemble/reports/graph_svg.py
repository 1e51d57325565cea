"""A graph as a picture, SVG, that needs no program to draw it."""

from __future__ import annotations

import html
from collections.abc import Iterator
from math import ceil

from ansible_ensemble.reports.graph import Box, Graph
from ansible_ensemble.reports.graph_layout import BOX_HEIGHT, Layout, Spot, layout
from ansible_ensemble.reports.table import clip, width

#: The width of a character, and of what is left free beside a text.
_CHARACTER, _BESIDE = 8.0, 14.0
#: Between two columns, and around the whole.
_BETWEEN, _AROUND = 70.0, 16.0
#: How much narrower the characters of the words are.
_SMALL = 0.86
#: The most characters of a title; the rest is in its tooltip, as that of the words.
_LONGEST = 48
_STYLE = (
    "text{font:13px ui-monospace,'DejaVu Sans Mono',monospace;fill:#222}.w{font-size:11px;fill:#555}"
    "rect{fill:#fff;stroke-width:2}path{fill:none;stroke:#888;stroke-width:1.2}"
)


def graph_svg(graph: Graph) -> str:
    """The graph as an SVG document, as large as it needs to be."""
    placed = layout(graph)
    lefts, widths = _columns(graph, placed)
    across = (lefts[-1] + widths[-1] if lefts else 0.0) + 2 * _AROUND
    down = placed.height + 2 * _AROUND
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}" '
        f'viewBox="{-_AROUND:.0f} {-_AROUND:.0f} {across:.0f} {down:.0f}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#888;stroke:none"/></marker></defs>',
        f'<rect x="{-_AROUND:.0f}" y="{-_AROUND:.0f}" width="100%" height="100%" style="stroke:none"/>',
        *(_edge(route, lefts, widths) for route in placed.routes),
    ]
    for column in placed.columns:
        for spot in column:
            if spot.box is not None:
                lines += _box(graph.boxes[spot.box], lefts[spot.column], spot.y, widths[spot.column])
    return "\n".join([*lines, "</svg>"]) + "\n"


def _columns(graph: Graph, placed: Layout) -> tuple[list[float], list[float]]:
    """The left side and the width of each column."""
    lefts, widths, left = [], [], 0.0
    for column in placed.columns:
        cells = [_cells(graph.boxes[spot.box]) for spot in column if spot.box is not None]
        lefts.append(left)
        widths.append(max(cells) * _CHARACTER + 2 * _BESIDE)
        left += widths[-1] + _BETWEEN
    return lefts, widths


def _cells(box: Box) -> int:
    return min(_LONGEST, max(width(box.title), ceil(width(box.words) * _SMALL)))


def _box(box: Box, left: float, middle: float, across: float) -> Iterator[str]:
    top = middle - BOX_HEIGHT / 2
    yield f"<g><title>{_text(f'{box.title}: {box.words}' if box.words else box.title)}</title>"
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{across:.1f}" height="{BOX_HEIGHT:.0f}" rx="6" '
        f'stroke="{box.colour}"/>'
    )
    yield f'<text x="{left + _BESIDE:.1f}" y="{top + 19:.1f}">{_text(clip(box.title, _LONGEST))}</text>'
    words = clip(box.words, int(_LONGEST / _SMALL))
    yield f'<text class="w" x="{left + _BESIDE:.1f}" y="{top + 36:.1f}">{_text(words)}</text></g>'


def _edge(route: list[Spot], lefts: list[float], widths: list[float]) -> str:
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
    return f'<path d="{drawn}" marker-end="url(#end)"/>'


def _side(spot: Spot, lefts: list[float], widths: list[float], *, right: bool) -> str:
    return f"{lefts[spot.column] + (widths[spot.column] if right else 0.0):.1f} {spot.y:.1f}"


def _bend(start: str, end: str) -> str:
    (x1, y1), (x2, y2) = (map(float, point.split()) for point in (start, end))
    middle = (x1 + x2) / 2 if x1 != x2 else x1 + _BETWEEN / 2
    return f" C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {end}"


def _text(text: str) -> str:
    return html.escape("".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text))
