"""The result of an import of playbooks, as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_ensemble.core.errors import Place, shown_path
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import table
from ansible_ensemble.reports.values import clean

_HEAD = ("FROM", "NAME", "BECOMES", "NODE", "UNDEPLOY", "WHY")
#: What a kind of node template gives, in words.
_GIVES = {
    "resource": "plan, drift by check mode, and undeploy where the table says how",
    "role": "plan, drift by check mode, and undeploy where its tasks say how",
    "tasks": "plan, drift by check mode where the tasks have one",
    "playbook": "plan, drift by check mode; it runs as it did",
    "left out": "nothing runs it",
}
_SEVERAL = {"resource": "resources", "role": "roles", "playbook": "playbooks"}


def import_text(found: Mapping[str, Any], style: Style, inventory: Sequence[str], following: str = "plan") -> str:
    """The report of `import`: a line for each task, role and play, and what to do next.

    Args:
        found: the document that `jobs.import_playbooks` returns.
        style: how words are shown.
        inventory: the options that name the inventory.
        following: the command that is to be called next; empty if it follows by itself.
    """
    return "\n".join(_lines(found, style, shlex.join(inventory), following)) + "\n"


def adopted_text(found: Mapping[str, Any], inventory: Sequence[str]) -> str:
    """What to call once what `import` found is adopted: to look at it, and to take it away."""
    options = ["--destroyunmanaged"]
    why = "it was there before the ensemble"
    if any(entry["node"] and not entry["undo"] for entry in found["entries"]):
        options.append("--force")
        why += ", and nothing takes away some of it, which needs the rest"
    again = shlex.join(inventory)
    return (
        f"Next: {_call(found, 'plan', again)}\n"
        f"To take away what was adopted: {_call(found, 'undeploy', again, *options)}\n"
        f"  ({why}; the same with `plan --workflow undeploy` shows what goes)\n"
    )


def _lines(found: Mapping[str, Any], style: Style, inventory: str, following: str) -> Iterator[str]:
    rows = [tuple(map(style.strong, _HEAD)), *(_row(entry, style) for entry in found["entries"])]
    yield from table(rows, columns=style.columns, spare=(5,))
    yield ""
    for kind, count in found["counts"].items():
        if count:
            yield f"{count} {kind if count == 1 or kind not in _SEVERAL else _SEVERAL[kind]}: {_GIVES[kind]}"
    folder = clean(shown_path(found["folder"]))
    yield f"Written{'' if folder == '.' else f' to {folder}'}: {', '.join(map(clean, found['files']))}."
    if found["remarks"]:
        yield "To be known:"
        yield from (f"  {_remark(one)}" for one in found["remarks"])
    if found["problems"]:
        yield style.bad("It cannot be planned yet:")
        yield from (f"  {clean(problem)}" for problem in found["problems"])
    elif following:
        yield f"Next: {_call(found, following, inventory)}"


def _remark(one: Mapping[str, Any]) -> str:
    done = "; written so" if one["written"] else ""
    return clean(f"{Place(one['file'], one['line'])}: {one['text']} ({one['hint']}{done})")


def _call(found: Mapping[str, Any], command: str, inventory: str, *options: str) -> str:
    folder = clean(shown_path(found["folder"]))
    where = "" if folder == "." else shlex.quote(folder)
    return " ".join(["ansible-ensemble", command, *filter(None, [inventory, *options, where])])


def _row(entry: Mapping[str, Any], style: Style) -> tuple[str, ...]:
    place = Place(entry["file"], entry["line"])
    paint = {"resource": style.good, "left out": style.bad}.get(entry["becomes"], str)
    return (
        clean(str(place)),
        clean(entry["name"]),
        paint(entry["becomes"]),
        clean(entry["node"]),
        clean(entry["undo"]) if entry["undo"] else style.faint("no: ") + clean(entry["no_undo"]),
        clean(entry["why"]),
    )
