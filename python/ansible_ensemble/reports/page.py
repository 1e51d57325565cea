"""A page that stands alone: HTML without scripts and without references to other files."""

from __future__ import annotations

import html
from collections.abc import Iterable

_UNSHOWN = "\N{REPLACEMENT CHARACTER}"
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --faint: #8889; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre, td { font-family: ui-monospace, monospace; font-size: .9rem; }
details { border: 1px solid var(--line); border-left: .4rem solid var(--c, var(--line)); border-radius: .3rem;
  margin: .6rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } summary b { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; margin: .5rem 0; } th { text-align: left; font-weight: 500; }
td, th { padding: .15rem 1.2rem .15rem 0; vertical-align: top; } pre { margin: 0; white-space: pre-wrap; }
.graph { overflow: auto; max-height: 80vh; margin: 1rem 0; border: 1px solid var(--line); background: #fff; }
@media print {
  :root { color-scheme: light; } td, pre { overflow-wrap: anywhere; }
  body { max-width: none; margin: 0; } .graph { max-height: none; overflow: visible; border: 0; }
  .graph svg { max-width: 100%; height: auto; } details { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
.faint { opacity: .7; } .total { font-weight: 600; font-size: 1.1rem; margin: 1.5rem 0; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A document of this title; its parts are HTML, and empty ones are left out."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{text(title)}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n'
        + "\n".join(filter(None, parts))
        + "\n</body></html>\n"
    )


def table(rows: Iterable[list[str]], heads: tuple[str, ...] = ()) -> str:
    """A table of cells that are HTML."""
    head = f"<tr>{''.join(f'<th>{text(name)}</th>' for name in heads)}</tr>" if heads else ""
    return f"<table>{head}{''.join(_row(row) for row in rows)}</table>"


def drawing(svg: str, label: str) -> str:
    """A drawing that may be larger than the page: the keyboard, too, gets to where it is scrolled."""
    return f'<div class="graph" tabindex="0" role="region" aria-label="{label}">{svg}</div>'


def text(plain: str) -> str:
    """A text that cannot become markup, and moves no cursor where the page is read in a terminal."""
    return html.escape("".join(one if one.isprintable() or one in "\n\t" else _UNSHOWN for one in plain))


def _row(cells: list[str]) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
