"""Jobs' actions: the templates of tasks, rendered with what is known of their machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task, Template
from ansible_ensemble.provision.objects.job import JobAction
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.parameters import values_of
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.service.jobs import known_job
from ansible_ensemble.provision.service.secure_params import Revealed
from ansible_ensemble.provision.store.transaction import Reader
from ansible_ensemble.provision.templates.job_actions import job_actions
from ansible_ensemble.provision.templates.source import Addresses


class Surroundings(Struct, frozen=True):
    """What templates see of the server.

    Attributes:
        addresses: where machines reach it.
        info: what it says of itself, as the wire has it.
        token: makes a token for a machine, or with a profile for one that is to be made; valid for some seconds, or
            without end.
    """

    addresses: Addresses
    info: Callable[[Reader], Mapping[str, Any]]
    token: Callable[[Machine, str, int | None], str]


class _Texts(Mapping[str, str]):
    """The contents of a store's templates by ID, read when they are looked at: of many, a task needs a few."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._known and (template := self._reader.get(Template, name)):
            self._known[name] = template.contents
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        self._known = {template.id: template.contents for template in self._reader.all(Template)}
        return iter(self._known)

    def __len__(self) -> int:
        return self._reader.count(Template)


class StoredSource:
    """A machine and what belongs to it, from a store; secure params are open."""

    def __init__(self, reader: Reader, machine: Machine, task: Task, surroundings: Surroundings) -> None:
        self.machine = machine
        self.task: Task | None = task
        self.stage = reader.get(Stage, machine.stage)
        self.bootenv = reader.get(BootEnv, machine.boot_env)
        self.addresses = surroundings.addresses
        self.templates: Mapping[str, str] = _Texts(reader)
        self._reader, self._surroundings = reader, surroundings
        self._catalog = Revealed(reader)
        self._owner = self._catalog.of(machine)

    def values(self, param: str) -> Iterable[Any]:
        """The values of a param of the machine, the nearest first, the default of its definition last."""
        return values_of(self._owner, param, self._catalog)

    def info(self) -> Mapping[str, Any]:
        """What the server says of itself."""
        return self._surroundings.info(self._reader)

    def token(self, profile: str, seconds: int | None) -> str:
        """A token for the machine, or with a profile for one that is to be made."""
        return self._surroundings.token(self.machine, profile, seconds)


def actions(reader: Reader, name: str, system: str, surroundings: Surroundings) -> list[JobAction]:
    """What an agent does for a job, in order.

    Args:
        reader: where the job is.
        name: what the path says of it.
        system: the operating system of the agent; empty for the actions of all.
        surroundings: what templates see of the server.

    Raises:
        Refused: 404, there is no such job; 422, its machine or task is not there any more, a param that the task
            requires is missing, or a template cannot be rendered.
    """
    job = known_job(reader, name)
    machine, task = reader.get(Machine, job.machine), reader.get(Task, job.task)
    if machine is None:
        raise invalid(f"Machine {job.machine} does not exist", model="jobs", key=job.uuid)
    if task is None:
        raise invalid(f"Task {job.task} does not exist", model="jobs", key=job.uuid)
    try:
        return job_actions(StoredSource(reader, machine, task, surroundings), task, system)
    except TemplateError as error:
        raise invalid(str(error), model="jobs", key=job.uuid) from None
