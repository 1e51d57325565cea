"""Installs what a node of a type `tool.*` names, in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ansible_ensemble
from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.protocol import Result, Steps, Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, to_result
from ansible_ensemble.core.orders import Command
from ansible_ensemble.core.sensitive import reveal

_CODE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import ansible_ensemble.configurators.install_main as m; m.main()"
)


class InstallerConfigurator(BaseConfigurator):
    """Installs on `create`, removes on `delete`, and looks on `check` and in a dry run."""

    name = "installer"
    keys = frozenset({"environment"})

    def run(self, task: Task) -> Steps:
        """Start the process, and take what it reports."""
        wanted = {name: reveal(task.inputs[name]) for name in task.inputs if name not in RESERVED_INPUTS}
        name = task.operation.name
        asked = name if name in ("check", "delete") else "install"
        package = str(Path(ansible_ensemble.__file__).parent.parent)
        outcome = yield Command(
            (sys.executable, "-P", "-c", _CODE, package),
            environment=implementation_environment(task),
            stdin=json.dumps({**wanted, "operation": asked, "look": task.check or asked == "check"}),
            timeout=task.timeout,
        )
        try:
            report = json.loads(outcome.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            report = {"error": outcome.error or "the installer said nothing"}
        if "error" in report and not outcome.timed_out:
            outcome.ok, outcome.error = False, report["error"]
        outcome.changed = bool(report.get("changed"))
        if not outcome.ok:
            return Result(success=False, modified=outcome.changed, outcome=outcome, error=outcome.error)
        values = {"status": report["status"]} if asked == "check" else {}
        return to_result(task, outcome, values, outcome.changed)
