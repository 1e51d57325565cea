"""Tells how each task ended, and at last what set_stats set, in lines of JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase
from ansible.utils.vars import transform_to_native_types

DOCUMENTATION = """
name: told
type: aggregate
short_description: Tells how each task ended in lines of JSON
description: The lines go into the file that the environment variable TOLD names.
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Writes a line for each task, and one at the end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "test.lanes.told"

    def _tell(self, line: dict[str, Any]) -> None:
        with Path(os.environ["TOLD"]).open("a") as file:
            file.write(json.dumps(line, default=str) + "\n")

    def _keep(self, status: str, result: Any) -> None:
        task = {"host": result.host.get_name(), "name": result.task.get_name(), "status": status}
        action = str(result.task.resolved_action or result.task.action)
        returned = transform_to_native_types(result.result)
        shown = {key: value for key, value in returned.items() if not key.startswith("_ansible_")}
        self._tell({**task, "action": action, "result": shown})

    def v2_runner_on_ok(self, result: Any) -> None:
        self._keep("ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._keep("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._keep("skipped", result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._keep("unreachable", result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._tell({"stats": stats.custom.get("_run", {})})
