"""A callback plugin of a project: one line of JSON for each call, in the file that `TOLD` names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Notes what it is told."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "told"

    def _note(self, what: str, host: Any = None, task: Any = None, **more: Any) -> None:
        line = {"what": what, "host": host and host.get_name(), "task": task and task.get_name(), **more}
        with Path(os.environ["TOLD"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")

    def v2_playbook_on_play_start(self, _play: Any) -> None:
        self._note("play")

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        self._note("task", None, task, action=task.action, path=task.get_path())

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        self._note("start", host, task)

    def v2_runner_on_ok(self, result: Any) -> None:
        self._note("ok", result.host, result.task, result=result.result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._note("failed", result.host, result.task, result=result.result, ignored=bool(ignore_errors))

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._note("unreachable", result.host, result.task, result=result.result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._note("skipped", result.host, result.task, result=result.result)

    def v2_runner_item_on_ok(self, result: Any) -> None:
        self._note("item ok", result.host, result.task, result=result.result)

    def v2_runner_retry(self, result: Any) -> None:
        self._note("retry", result.host, result.task, result=result.result)

    def v2_on_file_diff(self, result: Any) -> None:
        self._note("diff", result.host, result.task, diff=result.result["diff"])

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._note("stats", hosts={name: stats.summarize(name) for name in stats.processed})
