"""The contract between a configurator and the job that runs it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field

from ansible_ensemble.core.orders import Command, Host, ModuleCall, Order, Outcome
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.language.entities import Operation


class SubTask(Struct):
    """An order of another kind: run an operation of an instance as a part of this task.

    Attributes:
        operation: `Interface.operation` or an operation's name.
        instance: the instance's name; None is the task's own.
        inputs: values that win over the operation's own inputs.
    """

    operation: str
    instance: str | None = None
    inputs: dict[str, Any] = field(default_factory=dict)


class Progress(Struct):
    """An order of another kind: tell those who look on how far the task is. Nothing is executed.

    Attributes:
        text: a line for people.
    """

    text: str


class Conversation(Struct):
    """An order of another kind: one that asks while it is carried out.

    Attributes:
        order: a local command (`execution.conversation`), or a module that tells what it runs `first` printed.
        answer: gives the answer to a question, both plain data, by way of orders that are executed for it. A module
            that asks keeps its place among those that run, so these are no modules or plays.
    """

    order: Command | ModuleCall
    answer: Callable[[Any], Generator[Order | SubTask | Progress | Note, Any, Any]]


class Note(Struct):
    """An order of another kind: have it noted of the instance what its operation made (`Instance.made`).

    It is in the journal before the next order is executed, and holds whatever becomes of the operation.

    Attributes:
        made: plain data, in the place of what was noted.
    """

    made: dict[str, Any]


class Basis(str, Enum):
    """What a result rests on.

    `real`: it was done, or seen; `predicted`: a tool predicted it; `not-run`: nothing was done or checked.
    """

    REAL = "real"
    PREDICTED = "predicted"
    NOT_RUN = "not-run"


class Result(Struct):
    """How a task ended.

    Attributes:
        success: whether the operation did what it is for.
        modified: whether the instance was modified; None if the operation did not say. It decides the status of
            an instance whose operation failed (docs/rules.md, "Operational status").
        status: a status reported explicitly, which then wins.
        state: a state reported explicitly, which then wins where the operation succeeded.
        outputs: values by output name.
        attributes: attributes of the instance that the operation set.
        instances: instances to add or update (`resultTemplate`): maps with `name`, `template`, `attributes`, ...
        outcome: what the last order came to.
        error: the reason in words if it failed.
        basis: what all of this rests on. Only what is real is recorded.
        there: whether a check saw the instance or a part of it, or saw nothing that says that it is not there.
        unseen: what of the instance a check could not look at, in words.
    """

    success: bool
    modified: bool | None = None
    status: Status | None = None
    state: NodeState | None = None
    outputs: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    instances: list[dict[str, Any]] = field(default_factory=list)
    outcome: Outcome | None = None
    error: str | None = None
    messages: list[str] = field(default_factory=list)
    basis: Basis = Basis.REAL
    there: bool = False
    unseen: list[str] = field(default_factory=list)


class Task(Protocol):
    """What a configurator sees of the operation it has to execute."""

    @property
    def operation(self) -> Operation:
        """The operation."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Its inputs; each is evaluated when it is first read, and the read is recorded."""

    @property
    def check(self) -> bool:
        """Whether this is a dry run: nothing may be changed."""

    @property
    def diff(self) -> bool:
        """Whether diffs are asked for."""

    @property
    def workflow(self) -> str:
        """Name of the workflow."""

    @property
    def host(self) -> Host:
        """Where the operation runs."""

    @property
    def made(self) -> Mapping[str, Any]:
        """What operations of its instance noted of what they made."""

    @property
    def was_configured(self) -> bool:
        """Whether an earlier operation of this ensemble made or changed its instance, and succeeded."""

    @property
    def environment(self) -> dict[str, str | None]:
        """What the ensemble changes in the environment of its subprocesses; None removes a variable."""

    @property
    def tools(self) -> tuple[Path, ...]:
        """Folders of the tools that were installed for it, the nearest first; their programs are in `bin`."""

    @property
    def timeout(self) -> float | None:
        """Seconds it may take."""

    @property
    def base(self) -> Path:
        """Directory that the operation's relative files start in."""

    @property
    def root(self) -> Path:
        """The project's folder."""

    @property
    def directory(self) -> Path:
        """Directory that its commands run in: `base`, except in a rollback, whose files are of another commit."""

    @property
    def folder(self) -> Path:
        """Its own folder for rendered files; made when first read."""

    @property
    def files(self) -> tuple[Path, ...]:
        """What lies in `directory` for its sake, and has to be with it on another host too; mostly nothing."""

    def passed_options(self) -> AbstractContextManager[tuple[list[str], Path | None]]:
        """Words of a command that give a job on another ensemble what this one was given, while it is open.

        Beside them is the folder of private files that they name, which the other job removes, too.
        """

    def open_secrets(self) -> AbstractContextManager[Path]:
        """The instance's folder of secret files, which the ensemble keeps; they are in clear while it is open."""

    def hide(self, value: Any) -> None:
        """Mask a value from now on wherever it would be shown: it turned out to be a secret."""

    def known(self, keyword: str, names: Collection[str] | None) -> dict[str, Any] | None:
        """What is known of SELF, HOST, SOURCE or TARGET, of these names or all; None if it means nothing."""

    def exported(self) -> dict[str, Any]:
        """Values of the environment variables that connections of the instance and its hosts export, by name."""

    def raw_input(self, name: str) -> Any:
        """An input as written, not evaluated."""

    def setting(self, name: str, default: Any = None) -> Any:
        """An evaluated key of the operation's implementation (`become`, `fast`, ...)."""

    def query(self, expression: Any) -> Any:
        """Evaluate an expression in the context of the task's instance."""

    def note_file(self, path: Path) -> None:
        """Take down that what it makes is made of a file or folder."""

    def may_be_made(self, paths: Sequence[Path]) -> bool:
        """Whether another operation may make a file that is missing, at one of these paths."""

    def may_be_installed(self) -> bool:
        """Whether another operation may install what is missing."""

    @property
    def plans_on_controller(self) -> bool:
        """Whether a plan is made, by which it is to run on the controller."""

    def undefined(self, names: Collection[str]) -> dict[str, str]:
        """Those of the names that are no variables of its host, which is told; none if its variables are not known."""

    def evaluate(self, value: Any, variables: Mapping[str, Any] | None = None) -> Any:
        """Evaluate a raw value (functions, expressions, templates) in the task's context, with more variables."""

    @property
    def paths(self) -> Sequence[WrittenPath]:
        """Paths that it is the last of several to write: what it leaves there is recorded, and a check looks for it."""

    @property
    def overwritten(self) -> Collection[str]:
        """What others write after it: paths of a module, tasks of a play by file and line."""

    @property
    def instead(self) -> Mapping[str, Any]:
        """Arguments of its module that others set otherwise after it: values for a check, None for none."""

    @property
    def followed(self) -> Sequence[str]:
        """Paths that its tasks write, and that links of its host may lead to what others write."""

    def left(self, path: str) -> Mapping[str, Any] | None:
        """What is recorded of a path; None if nothing is."""

    def digest(self, checksum: str) -> str:
        """What may be recorded of a file that has a checksum, which may hold secrets."""

    @property
    def attributes(self) -> frozenset[str]:
        """Names of the attributes that the task's entity declares."""

    @property
    def asked_outputs(self) -> frozenset[str]:
        """Names of outputs that are read somewhere, whether the operation declares them or not."""


Steps = Generator[Order | SubTask | Conversation | Progress | Note, Any, Result]


class Configurator(Protocol):
    """A tool that implements operations.

    A configurator is a generator of orders: it yields an order, gets the outcome, and returns the result. It does no
    IO of its own but for rendered files in the task's folder, so that the job can run many of them side by side.
    """

    #: the name it is asked for by, and shown as
    name: str

    def can_dry_run(self, task: Task) -> bool:
        """Whether it can run in check mode without changing anything."""

    def render(self, task: Task) -> None:
        """Evaluate what it needs and write the files it needs; nothing outside the task's folder is touched."""

    def run(self, task: Task) -> Steps:
        """Carry out the operation."""
