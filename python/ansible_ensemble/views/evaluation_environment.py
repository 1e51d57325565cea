"""What expressions may reach outside the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor

#: Values by name: a map, or a function that raises KeyError for a name it does not know.
Source = Mapping[str, Any] | Callable[[str], Any]

#: A key, or a function that gives it.
Key = bytes | Callable[[], bytes]


class Inventory(Protocol):
    """The inventory of a job."""

    @property
    def hosts(self) -> Collection[str]:
        """Names of the hosts."""

    def matching(self, pattern: str) -> Sequence[str]:
        """Names of the hosts that a pattern of Ansible's means, in the inventory's order."""

    @property
    def is_named(self) -> bool:
        """Whether somebody named one; else there is only the controller."""

    @property
    def files(self) -> Collection[Path]:
        """The files and folders that it is read from."""

    def unknown(self, pattern: str) -> InvalidInput | None:
        """The error that a pattern, or a name in it, means no host and no group; None if it means some."""

    def names(self, host: str) -> Collection[str]:
        """Names of the variables of a host."""

    def value(self, host: str, name: str) -> Any:
        """A variable, as plain data; marked where it is a secret.

        Raises:
            KeyError: there is no such host or variable.
        """

    def raw(self, host: str, name: str) -> Any:
        """A variable as it is written; marked where it is a secret.

        Raises:
            KeyError: there is no such host or variable.
        """

    def written(self, host: str) -> dict[str, Any]:
        """The variables of a host as its inventory has them: without passwords, facts, and what a job or play gives.

        What is encrypted stays so.
        """

    def fact(self, host: str, name: str) -> Any:
        """A fact of a host that was gathered before, by its name in `ansible_facts`.

        Raises:
            KeyError: there is no such host, or no such fact of it in Ansible's cache of facts.
        """

    def matches(
        self, pattern: str, names: Iterable[str], groups: Mapping[str, Iterable[str]]
    ) -> list[tuple[str, Collection[str]]]:
        """The terms of a pattern, with what they match of the hosts and of further names and groups."""


class EvaluationEnvironment(Struct):
    """What expressions may reach outside the model.

    Attributes:
        root: the project's root; functions that touch files stay inside it and the `allowed` folders.
        folder: the ensemble's folder.
        allowed: folders outside the root that the user allows by name.
        environ: environment variables.
        locals: values of the local environment, by name.
        secrets: secrets by name.
        externals: imported instances by name: maps of their values, or scopes of their ensembles' evaluators.
        digest_key: key of the digests of sensitive values, and of generated strings; or gives it when it is needed.
        redactor: registers each sensitive value that is read.
        check: whether this is a dry run: nothing may be written.
        plans: whether nothing is executed yet: nothing may be written either, for a job may run and read it.
        trusted: whether the project may run code and reach the system when its expressions are evaluated.
        job: facts of the running job, which templates see as `task` (`workflow`, `reason`, `verbose`, ...).
        variables: variables of the job, which templates see by their names.
        inventory: gives Ansible's inventory when a template has a name that nothing else gives; None where there is
            none to ask.
        unread: takes why the inventory could not be read: then nothing is planned.
        loader: gives Ansible's DataLoader (vault secrets, base folder of lookups) when one is needed.
        folders: named folders that `get_dir` gives beside the ensemble's own (`tmp`, `artifacts`, ...).
        task_folder: gives the folder of a task's files by kind (`tasks`, `artifacts`, `secrets`), instance and
            operation.
        repositories: folder of each repository by name.
        outputs: outputs of operations that ran, by what they ran on (`app`, `app::.requirements::db#0`) and
            `Interface.operation`.
        metadata: facts of the ensemble (`deployment`, `revision`, `environment`, ...).
        trace: takes one line for each step of an expression that asks to be traced.
    """

    root: Path
    folder: Path
    allowed: tuple[Path, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    locals: Mapping[str, Any] = field(default_factory=dict)
    secrets: Source = field(default_factory=dict)
    externals: Source = field(default_factory=dict)
    digest_key: Key = b""
    redactor: Redactor = field(default_factory=Redactor)
    check: bool = False
    plans: bool = False
    trusted: bool = False
    job: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    inventory: Callable[[], Inventory] | None = None
    unread: Sequence[InvalidInput] = ()
    loader: Callable[[], Any] | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)
    task_folder: Callable[[str, str, str], Path] | None = None
    repositories: Mapping[str, Path] = field(default_factory=dict)
    outputs: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    trace: Callable[[str], None] | None = None

    @contextmanager
    def planning(self, workflow: str) -> Iterator[None]:
        """A workflow is planned, maybe within a job that goes on afterwards: no function makes files meanwhile."""
        before = self.job, self.plans
        self.job, self.plans = {"workflow": workflow}, True
        try:
            yield
        finally:
            self.job, self.plans = before

    @property
    def writes(self) -> bool:
        """Whether functions may make files and folders."""
        return self.trusted and not self.check and not self.plans

    @property
    def roots(self) -> tuple[Path, ...]:
        """Every folder that files may be in; one of a stranger's project may be a link to anywhere."""
        named = self.folders.values() if self.trusted else ()
        return (self.root, self.folder, *self.allowed, *named, *self.repositories.values())


def key_bytes(key: Key) -> bytes:
    """The key itself."""
    return key() if callable(key) else key


def look_up(source: Source, name: str) -> Any:
    """The value of this name.

    Raises:
        KeyError: the source does not know it.
    """
    return source(name) if callable(source) else source[name]
