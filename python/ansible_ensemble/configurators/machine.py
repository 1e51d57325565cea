"""Machines of a server that drives them through workflows (`provision`), as nodes of a topology."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import ansible_ensemble
from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.machine_talk import Ended
from ansible_ensemble.configurators.protocol import Basis, Conversation, Progress, Result, Steps, Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, to_result
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.core.sensitive import is_sensitive, reveal

_CODE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import ansible_ensemble.configurators.machine_main as m; m.main()"
)
#: Attributes that say what earlier operations did; the others are only what the machine is.
_KEPT = ("uuid", "adopted", "set_params")


class MachineConfigurator(BaseConfigurator):
    """Brings a machine through its workflow; the inputs are the fields of `machine_wanted.Wanted`.

    `delete` takes the machine out of the workflow, `check` compares, `discover` finds it, any other operation deploys
    it. It talks to the server in a process of its own, for it may wait for long. Ended early, that pauses the machine.
    """

    name = "machine"
    keys = frozenset({"environment"})

    def run(self, task: Task) -> Steps:
        """Start the process, and answer what it asks and tells."""
        package = str(Path(ansible_ensemble.__file__).parent.parent)
        command = Command(
            (sys.executable, "-P", "-c", _CODE, package),
            environment=implementation_environment(task),
            timeout=task.timeout,
        )
        answers = _Answers(task)
        outcome = yield Conversation(command, answers.answer)
        return answers.result(outcome)


class _Answers:
    """Answers what the process asks, and keeps how it ended."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._end: Ended | None = None

    def answer(self, question: Mapping[str, Any]) -> Generator[Progress, Any, dict[str, Any]]:
        """The answer to a question; what is told is passed on."""
        value = None
        match question["ask"]:
            case "begin":
                value = self._begin()
            case "progress":
                yield Progress(question["text"])
            case "hide":
                params = self._task.inputs["params"]
                for name in question["names"]:
                    self._task.hide(params[name])
            case _:
                self._end = Ended(**question["ended"])
        return {"value": value}

    def _begin(self) -> dict[str, Any]:
        task = self._task
        inputs = {name: reveal(task.inputs[name]) for name in task.inputs if name not in RESERVED_INPUTS}
        return {
            "operation": task.operation.name,
            "check": task.check,
            "wanted": {name: value for name, value in inputs.items() if value is not None},
            "marked": [name for name, value in (task.inputs.get("params") or {}).items() if is_sensitive(value)],
            "kept": reveal(task.known("SELF", _KEPT)) or {},
        }

    def result(self, outcome: Outcome) -> Result:
        """How the operation ended."""
        if self._end is None:
            if outcome.ok:
                outcome.ok, outcome.error = False, "it ended without a result"
            return to_result(self._task, outcome, {}, modified=None)
        end = self._end
        if not outcome.timed_out:  # else its error says so
            outcome.ok, outcome.error = end.success, end.error
        outcome.changed, outcome.rc, outcome.diff = end.modified, None, end.diff
        values = {"status": end.status, "attributes": end.attributes}
        result = to_result(self._task, outcome, values, end.modified)
        result.messages += end.messages
        result.basis = Basis.PREDICTED if end.predicted else Basis.REAL
        return result
