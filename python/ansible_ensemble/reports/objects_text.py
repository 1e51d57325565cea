"""Objects of a server of machines as people read them, from their JSON documents alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import clip, table
from ansible_ensemble.reports.values import block, clean, one_line

#: Cells that need not be whole are cut to this width.
_WIDTH = 48
#: Times and UUIDs that mean that there is none.
_NEVER = ("0001-01-01T00:00:00Z", "00000000-0000-0000-0000-000000000000")
_SEALED = {"Key", "Nonce", "Payload"}
_GOOD = ("complete", "finished")
_BAD = ("failed", "unavailable")


def objects_text(
    kind: str,
    documents: Sequence[dict[str, Any]],
    columns: Sequence[str],
    style: Style | None = None,
    *,
    whole: bool = False,
) -> str:
    """A table of objects.

    Args:
        kind: of the objects: `machines`.
        documents: the objects, with what else the columns name.
        columns: paths of fields: `OS.Name`, `Params.rack`.
        style: how to emphasise; plain when left out.
        whole: whether long cells stay whole.
    """
    style = style or Style()
    if not documents:
        return f"There are no {kind}.\n"
    rows = [[style.strong(path.upper()) for path in columns]]
    for document in documents:
        cells = [_cell(path, value_at(document, path)) for path in columns]
        rows.append([_coloured(cell if whole else clip(cell, _WIDTH), style) for cell in cells])
    return "\n".join(table(rows)) + "\n"


def object_text(document: dict[str, Any], *, every: bool = False) -> str:
    """An object in YAML: what is set of it, or every field."""
    shown = document if every else {name: value for name, value in document.items() if not _is_empty(value)}
    return "\n".join(block({name: _without_seal(value) for name, value in shown.items()})) + "\n"


def value_at(document: Any, path: str) -> Any:
    """The value at a path: names with dots between, of which the rest may be one name that has dots."""
    if not isinstance(document, dict):
        return None
    if path in document:
        return document[path]
    name, dot, rest = path.partition(".")
    return value_at(document.get(name), rest) if dot else None


def duration_text(seconds: float) -> str:
    """How long something lasted: `9s`, `2m05s`, `1h02m`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    return f"{whole // 60}m{whole % 60:02}s" if whole < 3600 else f"{whole // 3600}h{whole % 3600 // 60:02}m"


def seconds_between(start: str, end: str) -> float | None:
    """The seconds between two times of the wire; None if one of them never was."""
    if not start or not end or start in _NEVER or end in _NEVER:
        return None
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None


def _cell(path: str, value: Any) -> str:
    if _is_empty(value):
        return ""
    if path.endswith("Time") and isinstance(value, str):
        return clean(value.partition(".")[0].replace("T", " ").removesuffix("Z"))
    if isinstance(value, str):
        return clean(value.partition("\n")[0]).replace("\t", " ")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return clean(",".join(value))
    if path == "Params" and isinstance(value, dict):
        return clean(",".join(value))
    return one_line(_without_seal(value))


def _is_empty(value: Any) -> bool:
    """Whether a value is none that people want to see, or consists of such."""
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return value is False or value in ("", None, [], *_NEVER)


def _without_seal(value: Any) -> Any:
    """The value with words in the place of what only the server can open."""
    if isinstance(value, dict):
        return "(sealed)" if value.keys() == _SEALED else {name: _without_seal(one) for name, one in value.items()}
    return [_without_seal(one) for one in value] if isinstance(value, list) else value


def _coloured(cell: str, style: Style) -> str:
    return style.good(cell) if cell in _GOOD else style.bad(cell) if cell in _BAD else cell
