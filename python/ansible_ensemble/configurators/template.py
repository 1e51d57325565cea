"""An operation that runs nothing: its result is computed from its inputs."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.protocol import Basis, Result, Steps, SubTask, Task
from ansible_ensemble.configurators.results import as_map, to_result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Outcome


class TemplateConfigurator(BaseConfigurator):
    """Evaluates `done` and `resultTemplate` (and the value of `run`, which they see as `result.run`)."""

    name = "template"

    def run(self, task: Task) -> Steps:
        """Make the result."""
        value = task.inputs.get("run")
        values: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
        yield from ()  # a configurator is a generator, and this one has no order to give
        return to_result(task, Outcome(ok=True, changed=False, result={"run": value}), values, modified=False)


class DelegateConfigurator(BaseConfigurator):
    """Runs another operation, of this instance or of the one named by `target`, as a part of the task."""

    name = "delegate"

    def run(self, task: Task) -> Steps:
        """Run the other operation unless the input `when` is false."""
        if "when" in task.inputs and not task.inputs["when"]:
            return Result(success=True, modified=False, basis=Basis.NOT_RUN)
        if "operation" not in task.inputs:
            raise InvalidInput(
                "no operation is named to delegate to", task.operation.place, "set the input `operation`"
            )
        operation = str(task.inputs["operation"])
        target = task.inputs.get("target")
        name = target.get(".name") if isinstance(target, dict) else target
        inputs = as_map(task.inputs.get("inputs") or {}, "the input inputs must be", task)
        result: Result = yield SubTask(operation, None if name is None else str(name), dict(inputs))
        return result
