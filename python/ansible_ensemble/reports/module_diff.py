"""Diffs that Ansible modules report, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_ensemble.reports.values import clean, diff_lines


def module_diff(diffs: Any) -> list[str]:
    """The lines of a module's `diff`: one map or a list of them, in Ansible's forms.

    Each has `before` and `after` (text or data), perhaps with headers, or a text that the module `prepared`.
    """
    entries = diffs if isinstance(diffs, list) else [diffs]
    return [line for entry in entries if isinstance(entry, dict) for line in _one(entry)]


def _one(entry: dict[str, Any]) -> Iterator[str]:
    if "prepared" in entry:
        yield from clean(str(entry["prepared"])).rstrip("\n").split("\n")
        return
    lines = diff_lines(_data(entry.get("before")), _data(entry.get("after")))
    header = entry.get("before_header") or entry.get("after_header")  # the latter may name a temporary file
    if header and lines:
        yield f"# {clean(str(header))}"
    yield from lines


def _data(value: Any) -> Any:
    return None if value == "" else value
