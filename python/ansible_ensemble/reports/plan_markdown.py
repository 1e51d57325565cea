"""A plan as Markdown, for merge requests, approvals and chat."""

from __future__ import annotations

import re
from typing import Any

from ansible_ensemble.core.actions import Action
from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.core.regex import regex
from ansible_ensemble.reports.markdown import escaped, fenced, markdown_table
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.reports.plan_words import fate, summary_line
from ansible_ensemble.reports.values import clean

#: Comments of GitHub hold 65,536 characters; what stands above and below the plan's text has its share.
_LONGEST = 40_000
_MOST_ROWS = 100
_SIGN = regex(r"^( +)(-/\+|[-+~])(?= )")


def plan_markdown(plan: dict[str, Any]) -> str:
    """What a plan does to instances as a table, its warnings, and its whole text, folded."""
    changes = [change for change in plan["resource_changes"] if change["symbol"] != Action.NONE.value]
    rows = [(change["symbol"], clean(str(change["address"])), fate(change), change["type"]) for change in changes]
    more = len(rows) - _MOST_ROWS
    lines = [f"# {escaped(summary_line(plan))}", ""]
    lines += [f"Plan of {escaped(plan['workflow'])} for {escaped(clean(shown_path(plan['ensemble'])))}", ""]
    lines += markdown_table(["", "Instance", "What happens", "Type"], rows[:_MOST_ROWS])
    lines += [f"and {more} more instances", ""] if more > 0 else []
    for what, names in (plan.get("not_compared") or {}).items():
        lines += [f"**Not compared:** {escaped(clean(what))} ({escaped(clean(', '.join(names)))})", ""]
    lines += [line for text in plan["warnings"] for line in (f"**Warning:** {escaped(clean(text))}", "")]
    if rows or plan["output_changes"]:
        lines += ["<details><summary>The whole plan</summary>", "", *fenced(_text(plan), "diff"), "", "</details>", ""]
    return "\n".join(lines)


def _text(plan: dict[str, Any]) -> str:
    """The plan's text with its signs in the first column, where a block of the language `diff` colours their lines."""
    lines = [_SIGN.sub(_to_the_front, line) for line in plan_text(plan).split("\n")]
    kept, length = 0, 0
    while kept < len(lines) and length + len(lines[kept]) < _LONGEST:
        length += len(lines[kept]) + 1
        kept += 1
    left = len(lines) - kept
    return "\n".join(lines[:kept] + ([f"... ({left} more lines; the command shows them)"] if left else []))


def _to_the_front(found: re.Match[str]) -> str:
    sign = "!" if found[2] == "~" else found[2]
    return f"{sign}{found[1]}"
