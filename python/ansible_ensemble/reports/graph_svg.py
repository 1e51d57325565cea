"""A graph as a picture, SVG, that needs no program to draw it."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_ensemble.reports.graph import Graph
from ansible_ensemble.reports.graph_drawing import BESIDE, LONGEST, SMALL, DrawnBox, draw
from ansible_ensemble.reports.page import text
from ansible_ensemble.reports.table import clip

#: What is left free around the whole.
_AROUND = 16.0
_STYLE = (
    "text{font:13px ui-monospace,'DejaVu Sans Mono',monospace;fill:#222}.w{font-size:11px;fill:#555}"
    "rect{fill:#fff;stroke-width:2}path{fill:none;stroke:#888;stroke-width:1.2}"
)


def graph_svg(graph: Graph) -> str:
    """The graph as an SVG document, as large as it needs to be; texts that are cut are whole in their tooltips."""
    drawing = draw(graph)
    across, down = drawing.width + 2 * _AROUND, drawing.height + 2 * _AROUND
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}" '
        f'viewBox="{-_AROUND:.0f} {-_AROUND:.0f} {across:.0f} {down:.0f}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#888;stroke:none"/></marker></defs>',
        f'<rect x="{-_AROUND:.0f}" y="{-_AROUND:.0f}" width="100%" height="100%" style="stroke:none"/>',
        *(f'<path d="{edge.path}" marker-end="url(#end)"/>' for edge in drawing.edges),
    ]
    for box in drawing.boxes:
        lines += _box(box)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _box(drawn: DrawnBox) -> Iterator[str]:
    box, left, top = drawn.box, drawn.left, drawn.top
    yield f"<g><title>{text(f'{box.title}: {box.words}' if box.words else box.title)}</title>"
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{drawn.width:.1f}" height="{drawn.height:.0f}" rx="6" '
        f'stroke="{box.colour}"/>'
    )
    yield f'<text x="{left + BESIDE:.1f}" y="{top + 19:.1f}">{text(clip(box.title, LONGEST))}</text>'
    words = clip(box.words, int(LONGEST / SMALL))
    yield f'<text class="w" x="{left + BESIDE:.1f}" y="{top + 36:.1f}">{text(words)}</text></g>'
