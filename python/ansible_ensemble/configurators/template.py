"""An operation that runs nothing: its result is computed from its inputs."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.configurators.protocol import Basis, Result, Steps, SubTask, Task
from ansible_ensemble.configurators.results import read_inputs, to_result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Outcome


class TemplateConfigurator:
    """Evaluates `done` and `resultTemplate` (and the value of `run`, which they see as `result.run`)."""

    name = "template"

    def can_dry_run(self, task: Task) -> bool:
        """It changes nothing but the record."""
        del task
        return True

    def render(self, task: Task) -> None:
        """Evaluate the inputs."""
        read_inputs(task)

    def run(self, task: Task) -> Steps:
        """Make the result."""
        value = task.inputs.get("run")
        values: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
        yield from ()  # a configurator is a generator, and this one has no order to give
        return to_result(task, Outcome(ok=True, changed=False, result={"run": value}), values, modified=False)


class DelegateConfigurator:
    """Runs another operation, of this instance or of the one named by `target`, as a part of the task."""

    name = "delegate"

    def can_dry_run(self, task: Task) -> bool:
        """As far as the other operation can."""
        del task
        return True

    def render(self, task: Task) -> None:
        """Evaluate the inputs."""
        read_inputs(task)

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
        inputs = task.inputs.get("inputs") or {}
        if not isinstance(inputs, dict):
            raise InvalidInput(f"the input inputs must be a map, not {inputs!r}", task.operation.place)
        result: Result = yield SubTask(operation, None if name is None else str(name), dict(inputs))
        return result
