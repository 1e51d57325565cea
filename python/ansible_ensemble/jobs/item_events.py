"""Operations as callback events: under ansible-runner and AWX each is an event of its own, as an item of a loop is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_ensemble.reports.names import event_title

#: The environment variable by which ansible-runner tells its callback plugin where events go.
_RUNNER = "AWX_ISOLATED_DATA_DIR"
#: Keys of the journal's event that tell what ran, and how it went.
_TOLD = ("instance", "template", "operation", "relationship", "task", "seconds", "lane", "messages")


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether somebody collects callback events."""
    return _RUNNER in environment


class ItemEvents:
    """An observer of a job that sends the end of each operation to the callbacks.

    Args:
        send: takes a label and the result of an item.
    """

    def __init__(self, send: Callable[[str, dict[str, Any]], object]) -> None:
        self._send = send

    def __call__(self, event: dict[str, Any]) -> None:
        """Send the event if it ends an operation that ran."""
        if event.get("event") == "finished" and event.get("implementation") != "":
            self._send(event_title(event), result_of(event))


def result_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """The result of an item, of a journal's `finished` event, in which no secret is."""
    outcome = event.get("result") or {}
    result: dict[str, Any] = {name: event[name] for name in _TOLD if event.get(name)}
    result["changed"] = bool(event.get("changed"))
    result["failed"] = not event.get("ok")
    if event.get("error"):
        result["msg"] = event["error"]
    if event.get("diff"):
        result["diff"] = event["diff"]
    for name in ("stdout", "stderr", "rc"):
        if outcome.get(name) not in (None, ""):
            result[name] = outcome[name]
    returned = {name: value for name, value in (outcome.get("result") or {}).items() if name != "diff"}
    if returned:
        result["result"] = returned
    return result
