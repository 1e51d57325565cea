"""The callback of a nested play: it keeps what its tasks came to, and tells of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import Any

from ansible.playbook.handler import Handler
from ansible.plugins.callback import CallbackBase
from msgspec.structs import replace

from ansible_ensemble.core.diffs import discreet_result
from ansible_ensemble.core.errors import Place
from ansible_ensemble.lanes import core, task_reports
from ansible_ensemble.lanes.core_callbacks import TaskEvent

#: Takes the events of tasks.
Listener = Callable[[TaskEvent], None]

#: Modules that tell of each run that it changed something.
_COMMANDS = frozenset(f"ansible.builtin.{name}" for name in ("command", "expect", "raw", "script", "shell"))
#: Modules that change what the play knows of hosts, and nothing on them.
_OF_INVENTORY = frozenset({"ansible.builtin.add_host", "ansible.builtin.group_by"})


class TaskRecorder(CallbackBase):  # type: ignore[misc]
    """The only callback of a nested play: keeps each task's result.

    Core makes a warning of an error in a callback, and goes on as if nothing was missing: `broken` says why a result
    could not be kept.

    Args:
        tell: gets a line for each task that ended, if everything is to be told, or else for what `debug` says.
        listener: gets an event for each task that begins or ends; None if nobody listens.

    Attributes:
        going_on: tasks, by their identities, that fail the play without ending it.
    """

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "ansible_ensemble_recorder"

    def __init__(self, tell: Callable[[str], None], listener: Listener | None = None) -> None:
        super().__init__()
        self._tell = tell
        self._listener = listener
        self.diff = self.discreet = self.checks = self.quiet = False
        self._load_name = self.CALLBACK_NAME
        self.tasks: list[dict[str, Any]] = []
        self.unmatched = False
        self.going_on: Collection[str] = ()
        self.broken = ""

    def v2_runner_on_ok(self, result: Any) -> None:
        """A task succeeded."""
        self._keep("ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """A task failed."""
        self._keep("ignored" if ignore_errors and result.task._uuid not in self.going_on else "failed", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        """A task was skipped."""
        self._keep("skipped", result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """A host could not be reached."""
        self._keep("ignored" if result.task.ignore_unreachable else "unreachable", result)

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """A task begins."""
        if self._listener and not self.quiet:
            self._listener(_event(host, task))

    def v2_runner_retry(self, result: Any) -> None:
        """A task failed and is tried again."""
        if self._listener and not self.quiet:
            self._listener(replace(_event(result.host, result.task), ending="retry", result=_shown(result)))

    def v2_playbook_on_no_hosts_matched(self) -> None:
        """A play has no hosts."""
        self.unmatched = True

    def _keep(self, status: str, result: Any) -> None:
        try:
            shown = discreet_result(_shown(result)) if self.discreet else _shown(result)
            task = self._task(status, result, shown)
        except Exception as error:
            self.broken = self.broken or f"what a task returned cannot be kept: {core.describe(error)}"
            return
        self.tasks.append(task)
        if self.quiet:
            return
        if self._listener:
            self._listener(_ended(result, status, shown, diff=self.diff))
        if self._display.verbosity > 0 or (task["action"].endswith("debug") and status != "skipped"):
            self._tell(task_reports.line_of(task))

    def _task(self, status: str, result: Any, shown: dict[str, Any]) -> dict[str, Any]:
        left_out = task_reports.was_left_out({**shown, "skipped": status == "skipped"}, bool(result.task.when))
        action = str(result.task.resolved_action or result.task.action)
        if action in _OF_INVENTORY:
            shown = {**shown, "changed": False}
        return {
            "name": result.task.get_name(),
            "action": action,
            "path": result.task.get_path() or "",
            "host": result.host.get_name(),
            "status": status,
            "result": shown,
            "left_out": left_out,
            # what never counts as a change leaves nothing to be seen
            "unseen": (left_out and result.task.changed_when != [False])
            or (self.checks and _always_changes(result.task)),
            # nobody asks what became of it
            "dropped": status == "ignored" and not result.task.register,
            "uuid": result.task._uuid,
            "sets": _set_by(result.task),
            "notifies": [str(name) for name in result.task.notify or ()],
            "answers_to": _handled(result.task),
            "names": [str(name) for name in result.task.args if name != "cacheable"],
            "backups": _backups(result, shown),
        }


def _set_by(task: Any) -> list[str]:
    """The variables that a task registers, or sets as facts."""
    registered = task.register or ()
    is_fact = str(task.resolved_action or task.action).endswith("set_fact")
    return [*([registered] if isinstance(registered, str) else registered), *(task.args if is_fact else ())]


def _handled(task: Any) -> list[str]:
    """The names by which a handler is notified; none of another task."""
    return [task.name, task.get_name(), *(task.listen or ())] if isinstance(task, Handler) else []


def _always_changes(task: Any) -> bool:
    """Whether a task says of each run that it changed something, and runs in check mode, too: that is no drift."""
    decided = task.changed_when or any(task.args.get(name) for name in ("creates", "removes"))
    return task.check_mode is False and not decided and str(task.resolved_action or task.action) in _COMMANDS


def _shown(result: Any) -> dict[str, Any]:
    shown: dict[str, Any] = core.masked(core.without_internals(core.jsonable(result.result)))
    return shown


def _backups(result: Any, shown: dict[str, Any]) -> list[dict[str, Any]]:
    """What a task kept of files that it replaced: where, and as whom it ran."""
    fields = getattr(result, "_task_fields", None) or {}
    as_whom = {name: str(fields[name]) for name in ("become_user", "become_method") if fields.get(name)}
    keywords = {"become": True, **as_whom} if fields.get("become") else {}
    host = str(fields.get("delegate_to") or result.host.get_name())
    return [
        {"host": host, "path": path, "backup": backup, "keywords": keywords}
        for path, backup in task_reports.backups_of(shown)
    ]


def _event(host: Any, task: Any) -> TaskEvent:
    """The event of a task that begins; tasks of two plays have one identity where their processes have one parent."""
    path, _separator, line = (task.get_path() or "").rpartition(":")
    return TaskEvent(
        id=f"{os.getpid()}-{task._uuid}",
        name=task.get_name(),
        action=str(task.action),
        host=host.get_name(),
        place=Place(path, int(line)) if path and line.isdigit() else None,
        counted=False,
    )


def _ended(result: Any, status: str, shown: dict[str, Any], *, diff: bool) -> TaskEvent:
    ending = "failed" if status == "ignored" else status
    if status == "ignored" and shown.get("unreachable"):
        ending = "unreachable"
    flags = {ending: True} if ending in ("failed", "skipped", "unreachable") else {}
    values = {name: value for name, value in shown.items() if name not in ("warnings", "deprecations", "exception")}
    return replace(
        _event(result.host, result.task),
        ending=ending,
        result={**values, **flags},
        diff=diff,
        no_log="censored" in shown,
        ignored=status == "ignored",
    )
