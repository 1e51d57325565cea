"""A callback that writes what came of each task to a file, as lines of JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_NAME = "results"
    CALLBACK_NEEDS_ENABLED = True

    def _write(self, ended: Any) -> None:
        line = {"task": ended.task_name, "host": ended._host.get_name(), "result": ended._result}
        with Path(os.environ["RESULTS"]).open("a") as file:
            file.write(json.dumps(line, default=str) + "\n")

    v2_runner_on_ok = v2_runner_on_unreachable = _write

    def v2_runner_on_failed(self, ended: Any, ignore_errors: bool = False) -> None:
        self._write(ended)
