"""Operations as callback events: under ansible-runner and AWX each is an event of its own, as an item of a loop is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_ensemble.engine.journal_entries import Entry, Finished
from ansible_ensemble.reports.names import event_title

#: The environment variable that tells ansible-runner's callback plugin where events go.
_RUNNER = "AWX_ISOLATED_DATA_DIR"
#: Keys of the journal's entry for what ran and its result.
_TOLD = ("instance", "template", "operation", "relationship", "task", "seconds", "host", "lane", "messages")


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether callback events are collected."""
    return _RUNNER in environment


class ItemEvents:
    """An observer of a job that sends the end of each operation to the callbacks.

    Args:
        send: takes a label and the result of an item.
    """

    def __init__(self, send: Callable[[str, dict[str, Any]], object]) -> None:
        self._send = send

    def __call__(self, entry: Entry) -> None:
        """Send the entry if it ends an operation that ran."""
        if isinstance(entry, Finished) and entry.implementation != "":
            self._send(event_title(entry.to_json()), result_of(entry))


def result_of(entry: Finished) -> dict[str, Any]:
    """The result of an item, in which no secret is."""
    told = entry.to_json()
    result: dict[str, Any] = {name: told[name] for name in _TOLD if told.get(name)}
    result["changed"] = bool(entry.changed)
    result["failed"] = not entry.ok
    if entry.error:
        result["msg"] = entry.error
    if entry.diff:
        result["diff"] = list(entry.diff)
    for name in ("stdout", "stderr", "rc"):
        if entry.result.get(name) not in (None, ""):
            result[name] = entry.result[name]
    returned = {name: value for name, value in (entry.result.get("result") or {}).items() if name != "diff"}
    if returned:
        result["result"] = returned
    return result
