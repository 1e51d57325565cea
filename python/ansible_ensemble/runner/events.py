"""Which of a playbook's events people see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.regex import regex

#: From this verbosity on, everything that ansible-playbook prints is shown.
EVERYTHING = 2

#: How Python begins to report an uncaught error.
_CRASH = regex(r"Traceback \(most recent call last\):|During handling of the above|[\w.]+(?:Error|Exception): ")

#: What Ansible prints about its own start at the first `-v`.
_OWN_START = regex(
    r"Using \S.* as config file$|No config file found; using defaults$|Using inventory plugin |"
    r"running playbook inside collection |Set default localhost to "
)
_FAILED = ("runner_on_failed", "runner_on_unreachable")


class EventFilter:
    """Shows a job's output, without Ansible's own output about running it or about a crash.

    Args:
        show: called with each line to show.
        verbosity: the user's `-v`s.

    Attributes:
        failures: messages of the tasks that failed.
    """

    def __init__(self, show: Callable[[str], None], verbosity: int) -> None:
        self._show = show
        self._verbosity = verbosity
        self.failures: list[str] = []
        self._crashed = False

    def handle(self, event: dict[str, Any]) -> None:
        """Take one event of ansible-runner."""
        kind = event.get("event")
        text = str(event.get("stdout") or "").rstrip("\r\n")
        if kind in _FAILED:
            self._remember(event)
        if kind == "verbose" and _CRASH.match(text):
            self._crashed = True
        if self._verbosity < EVERYTHING and _OWN_START.match(text):
            return
        if self._verbosity >= EVERYTHING or (kind == "verbose" and not self._crashed):
            for line in text.splitlines():
                if line.strip() or self._verbosity >= EVERYTHING:
                    self._show(line)

    def _remember(self, event: dict[str, Any]) -> None:
        data = event.get("event_data") or {}
        if data.get("ignore_errors"):
            return
        message = (data.get("res") or {}).get("msg")
        if message:
            self.failures.append(str(message))
