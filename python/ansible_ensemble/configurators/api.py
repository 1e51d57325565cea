"""What users' own configurators are written with: `className: my_configurator.py#MyConfigurator`.

A configurator runs in a process of its own, so it may block, and may not harm the job when it fails. Its `run` is a
function that returns `task.done(...)`, or a generator that yields orders (`SubTask`, `Command`, `ModuleCall`), gets
the result of each, and returns `task.done(...)`.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.protocol import SubTask
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, ModuleCall, Outcome
from ansible_ensemble.core.sparse import as_map

__all__ = ["Command", "Configurator", "Done", "ModuleCall", "Outcome", "SubTask", "Task", "TaskError"]


class TaskError(EnsembleError):
    """The job could not answer: an expression is wrong, an instance is not there, a value is not known yet."""


class Done(Struct):
    """How an operation, or a sub-task, ended.

    Attributes:
        success: whether it did what it is for.
        modified: whether the instance was modified; None if that is not known.
        status: a status reported explicitly (`ok`, `degraded`, `error`, `absent`, ...).
        result: values by name: those named as outputs of the operation become outputs, those named as declared
            attributes set these; `resultTemplate` and the like see them as `result`.
        outputs: values by output name.
        attributes: attributes to set.
        error: why it failed.
        ran: false if nothing was done or seen, as in a dry run that cannot predict the operation.
    """

    success: bool = True
    modified: bool | None = None
    status: str | None = None
    result: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    ran: bool = True


class Configurator:
    """A base for users' configurators; all but `run` may be left out, and so may the base."""

    def can_run(self, task: Task) -> bool | str:
        """True, or why it cannot run here (False for no reason given); then the operation fails, nothing modified."""
        del task
        return True

    def can_dry_run(self, task: Task) -> bool:
        """Whether `run` may be called in check mode: it has to look at `task.check` and change nothing."""
        del task
        return False

    def should_run(self, task: Task) -> bool:
        """Whether there is anything to do; if not, the operation succeeds without running."""
        del task
        return True

    def render(self, task: Task) -> None:
        """Write the files it needs into `task.folder`."""

    def digest(self, task: Task) -> Iterable[Any]:
        """Expressions of further values on which what it does depends: when one changes, it runs again."""
        del task
        return ()

    def run(self, task: Task) -> Any:
        """Carry out the operation; returns `task.done(...)`, or is a generator that does."""
        raise TaskError(f"{type(self).__name__} cannot run {task.operation}: it has no method run")


class Channel:
    """The connection to the job: questions and answers, one after the other."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._file = self._socket.makefile("rwb")

    def ask(self, **question: Any) -> Any:
        """Ask the job.

        Raises:
            TaskError: it cannot answer.
            TypeError: a value is not plain data.
        """
        self._file.write(json.dumps(question).encode() + b"\n")
        self._file.flush()
        line = self._file.readline()
        if not line:
            raise TaskError("the job no longer answers")
        answer = json.loads(line)
        if "error" in answer:
            raise TaskError(answer["error"])
        return answer["value"]


class Inputs(Mapping[str, Any]):
    """The operation's inputs; each is asked for when it is first read."""

    def __init__(self, channel: Channel, names: list[str]) -> None:
        self._channel = channel
        self._names = names
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._known:
            self._known[name] = self._channel.ask(ask="input", name=name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Variables:
    """What templates see, by name (`SELF`, `HOST`, `inputs`, job variables, ...)."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def __getitem__(self, name: str) -> Any:
        if not name.isidentifier():
            raise KeyError(name)
        return self._channel.ask(ask="evaluate", value="{{ " + name + " }}", variables={})


class Task:
    """An operation to execute.

    Attributes:
        name: the instance's name.
        operation: `Interface.operation`.
        workflow: the workflow's name.
        check, diff: whether this is a dry run, and whether differences are asked for.
        base: folder of the file that declares the operation; the working directory.
        environ: environment variables of the operation.
        inputs: the operation's inputs.
        vars: what templates see.
        rendered: what its `render` returned.
        messages: for the user, in order.
        instances: what `update_instances` was given.
    """

    def __init__(self, channel: Channel, begin: Mapping[str, Any]) -> None:
        self._channel = channel
        self.name: str = begin["name"]
        self.operation: str = begin["operation"]
        self.workflow: str = begin["workflow"]
        self.check: bool = begin["check"]
        self.diff: bool = begin["diff"]
        self.base = Path(begin["base"])
        self.environ: dict[str, str] = begin["environ"]
        self.inputs: Mapping[str, Any] = Inputs(channel, begin["inputs"])
        self.vars = Variables(channel)
        self.rendered: Any = None
        self.messages: list[str] = []
        self.instances: list[dict[str, Any]] = []

    @property
    def folder(self) -> Path:
        """The operation's own folder for rendered files; kept in `active` when it succeeds."""
        return Path(self._channel.ask(ask="folder"))

    def query(self, expression: Any) -> Any:
        """Evaluate an expression (`.targets::db::url`) in the context of the instance.

        Raises:
            TaskError: the expression is wrong, or a value is not known yet.
        """
        return self._channel.ask(ask="query", expression=expression)

    def evaluate(self, value: Any, variables: Mapping[str, Any] | None = None) -> Any:
        """Evaluate data with functions, expressions and templates in it.

        Raises:
            TaskError: something in it is wrong.
        """
        return self._channel.ask(ask="evaluate", value=value, variables=dict(variables or {}))

    def add_dependency(self, expression: Any) -> Any:
        """Have the operation run again when the value of an expression changes; returns the value now.

        Everything that is read through the task is a dependency anyway.
        """
        return self.query(expression)

    def add_message(self, text: str) -> None:
        """Tell the user something, in the job's report and record."""
        self.messages.append(str(text))

    def update_instances(self, items: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> None:
        """Add or update instances when the operation is done: maps as `resultTemplate` takes them."""
        self.instances += [dict(items)] if isinstance(items, Mapping) else [dict(item) for item in items]

    def create_sub_task(
        self, operation: str, instance: str | None = None, inputs: Mapping[str, Any] | None = None
    ) -> SubTask:
        """An order to run another operation as a part of this one; yield it, or give it to `perform`."""
        return SubTask(operation, instance, dict(inputs or {}))

    def perform(self, order: SubTask | Command | ModuleCall) -> Any:
        """Have the job execute an order; returns `Done` for a sub-task, else the `Outcome`.

        Raises:
            TaskError: it cannot be executed.
        """
        answer = self._channel.ask(ask="order", kind=type(order).__name__, order=as_map(order))
        return Done(**answer) if isinstance(order, SubTask) else Outcome(**answer)

    def done(
        self,
        success: bool = True,
        modified: bool | None = None,
        status: str | None = None,
        *,
        result: Mapping[str, Any] | None = None,
        outputs: Mapping[str, Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
        error: str | None = None,
        ran: bool = True,
    ) -> Done:
        """How the operation ended; see `Done`."""
        values = dict(result or {}), dict(outputs or {}), dict(attributes or {})
        return Done(success, modified, status, *values, error, ran)

    def ended(self, said: Any) -> Done:
        """How the operation ended by what `run` returned.

        Raises:
            TaskError: that does not say it.
        """
        if isinstance(said, Done):
            return said
        if said is None or isinstance(said, bool):
            return Done(success=said is not False)
        if isinstance(said, Mapping):
            return Done(result=dict(said))
        raise TaskError(f"run must return task.done(...), a truth value or a map, not {type(said).__name__}")
