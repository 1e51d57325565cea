"""What configurators that are written for Unfurl import of it, `from unfurl.configurator import Configurator`.

Nothing of the package `unfurl` is needed, and nothing of it runs.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

from ansible_ensemble.configurators import api
from ansible_ensemble.instances import status

#: The words as Unfurl calls them: `Status.ok`.
Status = Enum("Status", {one.value: one.value for one in status.Status}, type=str)  # type: ignore[misc]
NodeState = Enum("NodeState", {one.value: one.value for one in status.NodeState}, type=str)  # type: ignore[misc]
Priority = Enum("Priority", {one.value: one.value for one in status.Priority}, type=str)  # type: ignore[misc]


class Attributes(MutableMapping[str, Any]):
    """The properties and attributes of the instance; what is set is recorded when the operation has succeeded."""

    def __init__(self, task: TaskView) -> None:
        self._task = task
        self.changed: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        value = self.changed[name] if name in self.changed else self._task.query(f".::{name}")
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        self.changed[name] = value

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        self.changed[name] = None

    def __iter__(self) -> Iterator[str]:
        names = dict.fromkeys([*(self._task.query(".names") or ()), *self.changed])
        return (name for name in names if self.changed.get(name, name) is not None)

    def __len__(self) -> int:
        return sum(1 for _name in self)


class Target:
    """The instance that the operation is of."""

    def __init__(self, task: TaskView) -> None:
        self._task = task
        self.name = task.name
        self.attributes = Attributes(task)

    def query(self, expression: Any) -> Any:
        """The value of an expression in the context of the instance."""
        return self._task.query(expression)

    @property
    def type(self) -> str:
        """The name of its type."""
        return str(self.query(".type"))

    @property
    def status(self) -> Any:
        """Its operational status."""
        return Status(self.query(".status"))


class TaskView(api.Task):
    """The task by the names that Unfurl has for what it offers.

    Attributes:
        target: the instance.
        dry_run: whether nothing may be changed.
        configSpec: the names of the operation and of the workflow.
        cwd: the working directory.
    """

    def __init__(self, channel: api.Channel, begin: Mapping[str, Any]) -> None:
        super().__init__(channel, begin)
        self.target = Target(self)
        self.dry_run = self.check
        operation = self.operation.rpartition(".")[2]
        self.configSpec = SimpleNamespace(operation=operation, workflow=self.workflow)
        self.cwd = str(self.base)
        self.logger = logging.getLogger("unfurl")

    def update_instances(self, items: Any) -> Any:
        """Add or update instances, also of YAML; returns the job that this takes, which is none, and no errors."""
        if isinstance(items, str):
            from ansible_ensemble.documents.yaml import parse_yaml

            items = parse_yaml(items, "update_instances").data
        super().update_instances(items or [])
        return None, []

    def done(  # type: ignore[override]  # noqa: PLR0917
        self,
        success: bool | None = None,
        modified: bool | None = None,
        status: Any = None,
        result: Any = None,
        outputs: Mapping[str, Any] | None = None,
        captureException: object = None,  # noqa: N803
    ) -> api.Done:
        """How the operation ended; without `success`, the status says whether it did."""
        word = getattr(status, "value", status)
        failed = captureException is not None or (success is None and word in ("error", "unknown"))
        values = dict(result) if isinstance(result, Mapping) else {} if result is None else {"result": result}
        error = str(captureException) if captureException is not None else None
        return api.Done(success is not False and not failed, modified, word, values, dict(outputs or {}), error=error)

    def ended(self, said: Any) -> api.Done:
        """How the operation ended, with the attributes that were set."""
        done = self.done(status=said) if isinstance(said, Status) else super().ended(said)
        done.attributes = {**self.target.attributes.changed, **done.attributes}
        return done


class Configurator(api.Configurator):
    """The base of Unfurl's configurators."""

    def __init__(self, **inputs: Any) -> None:
        self.inputs = inputs


class UnfurlError(Exception):
    """The root of Unfurl's errors."""


class UnfurlTaskError(UnfurlError):
    """An error of a task, which it is given with."""

    def __init__(self, task: object, message: str, *_others: object) -> None:
        super().__init__(message)
        self.task = task


_NAMES: Mapping[str, Iterable[Any]] = {
    "unfurl": (),
    "unfurl.configurator": (Configurator, TaskView, Status, NodeState, Priority),
    "unfurl.support": (Status, NodeState, Priority),
    "unfurl.util": (UnfurlError, UnfurlTaskError),
}


def stand_in() -> None:
    """Have the modules found by their names."""
    for name, exported in _NAMES.items():
        module = sys.modules[name] = ModuleType(name)
        vars(module).update({one.__name__: one for one in exported})
        parent, _separator, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
