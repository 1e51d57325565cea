"""Users' own Python code: a class or a function that executes an operation, in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import ansible_ensemble
from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.protocol import Basis, Conversation, Result, Steps, SubTask, Task
from ansible_ensemble.configurators.results import take_instance, to_result
from ansible_ensemble.core.environment import Changes, with_changes
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import Command, ModuleCall, Order, Outcome
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map

_CODE = "import sys; sys.path.insert(0, sys.argv.pop(1)); import ansible_ensemble.configurators.api_main as a; a.main()"


class PythonConfigurator(BaseConfigurator):
    """Runs a class or function of Python, `/path/file.py#Name` or `package.module.Name` (see `configurators.api`)."""

    name = "python"
    keys = frozenset({"environment"})

    def render(self, task: Task) -> None:
        """Evaluate the inputs; its own `render` is called when it runs."""
        if not self._target:
            raise InvalidInput("no Python class is named", task.operation.place)
        super().render(task)

    def run(self, task: Task) -> Steps:
        """Start its process and answer what it asks, to its end."""
        environment = implementation_environment(task)
        answers = _Answers(task, self._target, environment)
        package = str(Path(ansible_ensemble.__file__).parent.parent)
        command = Command(
            (sys.executable, "-c", _CODE, package),
            cwd=str(task.directory),
            environment=environment,
            timeout=task.timeout,
        )
        outcome = yield Conversation(command, answers.answer)
        return answers.result(outcome)


#: What the parts of a configurator's end must be, with the words for it.
_ENDS: dict[str, tuple[tuple[type, ...], str]] = {
    "success": ((bool,), "true or false"),
    "modified": ((bool, NoneType), "true, false or null"),
    "status": ((str, NoneType), "text"),
    "error": ((str, NoneType), "text"),
    "ran": ((bool,), "true or false"),
    "result": ((Mapping,), "a map"),
    "outputs": ((Mapping,), "a map"),
    "attributes": ((Mapping,), "a map"),
}


class _Answers:
    """Answers what the process asks, and keeps how it ended."""

    def __init__(self, task: Task, target: str, environment: Changes) -> None:
        self._task = task
        self._target = target
        self._environment = environment
        self._end: Mapping[str, Any] | None = None

    def answer(self, question: Mapping[str, Any]) -> Generator[Order | SubTask, Any, dict[str, Any]]:
        """The answer to a question: `value`, or `error` in words; orders are executed on the way."""
        try:
            value = yield from self._value(question)
        except EnsembleError as error:
            return {"error": str(error)}
        return {"value": reveal(value)}

    def _value(self, question: Mapping[str, Any]) -> Generator[Order | SubTask, Any, Any]:
        task = self._task
        match question["ask"]:
            case "begin":
                return self._begin()
            case "input":
                return task.inputs[question["name"]]
            case "query":
                return task.query(question["expression"])
            case "evaluate":
                return task.evaluate(question["value"], question["variables"])
            case "folder":
                return str(task.folder)
            case "order":
                return (yield from self._order(question["kind"], question["order"]))
            case _:
                self._end = question
                return None

    def _begin(self) -> dict[str, Any]:
        task = self._task
        return {
            "target": self._target,
            "name": task.query(".name"),
            "operation": task.operation.full_name,
            "workflow": task.workflow,
            "check": task.check,
            "diff": task.diff,
            "base": str(task.base),
            "environ": with_changes({}, self._environment),
            "inputs": list(task.inputs),
        }

    def _order(self, kind: str, order: dict[str, Any]) -> Generator[Order | SubTask, Any, dict[str, Any]]:
        if kind == "SubTask":
            result: Result = yield SubTask(**order)
            status = result.status.value if result.status else None
            return {
                "success": result.success,
                "modified": result.modified,
                "status": status,
                "outputs": result.outputs,
                "attributes": result.attributes,
                "error": result.error,
            }
        if kind == "Command":
            made = Command(**{**order, "argv": tuple(order["argv"]), "cwd": order["cwd"] or str(self._task.directory)})
            return as_map((yield made))
        if kind == "ModuleCall":
            return as_map((yield ModuleCall(**{**order, "host": self._task.host, "check": self._task.check})))
        raise InvalidInput(f"a configurator cannot yield a {kind}", self._task.operation.place)

    def result(self, outcome: Outcome) -> Result:
        """How the operation ended."""
        if self._end is None:
            if outcome.ok:
                outcome.ok, outcome.error = False, "it ended without a result"
            return to_result(self._task, outcome, {}, modified=None)
        done = self._end["done"]
        for name, (kinds, words) in _ENDS.items():
            if not isinstance(done[name], kinds):
                error = f"{name} of its result must be {words}, not {done[name]!r}"
                outcome.ok = False
                return Result(success=False, outcome=outcome, error=error)
        outcome.ok, outcome.error = done["success"], done["error"]
        if not outcome.ok and not outcome.error:
            outcome.error = "it did not succeed"
        outcome.changed, outcome.rc, outcome.result = done["modified"], None, done["result"]
        values = {**done["result"], "status": done["status"], "outputs": done["outputs"]}
        result = to_result(self._task, outcome, {**values, "attributes": done["attributes"]}, done["modified"])
        result.messages += map(str, self._end["messages"])
        if not done["ran"]:
            result.basis = Basis.NOT_RUN
        try:
            for item in self._end["instances"]:
                take_instance(self._task, item, result)
            if done["status"] is not None and result.status is None:
                raise InvalidInput(f'there is no status "{done["status"]}"', self._task.operation.place)
        except InvalidInput as error:
            result.success, result.error = False, str(error)
        return result
