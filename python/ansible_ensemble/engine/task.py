"""A task: a planned operation on its way through a configurator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.left_paths import WRITTEN
from ansible_ensemble.configurators.makers import may_be_installed, may_be_made
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import CONTROLLER, Host, LookedUp
from ansible_ensemble.core.sensitive import mark_sensitive, reveal
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.documents.json_schema import fits
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.ensembles.implementation import own_files
from ansible_ensemble.expressions.files import note
from ansible_ensemble.expressions.inventory import undefined_variables
from ansible_ensemble.expressions.looked_up import note_looked_up
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.language.entities import Entity, NodeTemplate, Operation
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.projects.folders import OF_JOBS
from ansible_ensemble.topology.host_copies import HOST_PROPERTY
from ansible_ensemble.views.reads import Deferred, value_digest

_LOCAL = CONTROLLER | {"ORCHESTRATOR"}


class JobTask(Struct):
    """What a configurator sees of its operation (the Protocol is `configurators.protocol.Task`).

    Attributes:
        id: its change id.
        planned: the planned operation.
        scope: where its values are evaluated; it records what is read.
        template: the instance's node template.
        find_host: finds where it runs, once that is asked for.
        passed_options: words of a command that give a job on another ensemble what this one was given, and the folder
            of private files among them.
        open_secrets: the instance's folder in `active/secrets`, its files in clear while it is open.
        own_digests: what it is made of, as it is when it is rendered: a script may be replaced while it runs.
        entity: the node template or relationship whose operation it is.
        base: where its relative files start; directory: where its commands run, which in a rollback is not there.
        is_confidential: what it makes may hold secrets that nothing tells: there are vault passwords.
        files: what was put there beside the primary.
        unshown: names of variables that are not to be shown.
        machine: what is to be recorded of the machine that hosts its instance.
        node: the node of a mesh that was chosen for it.
        ordered_as: begins the names of what the node is told to do; orders: those that it was told.
    """

    id: str
    planned: PlannedOperation
    operation: Operation
    instance: Instance
    template: NodeTemplate
    entity: Entity
    scope: Scope
    find_host: Callable[[], Host]
    open_secrets: Callable[[], AbstractContextManager[Path]]
    passed_options: Callable[[], AbstractContextManager[tuple[list[str], Path | None]]]
    base: Path
    root: Path
    work: Path
    directory: Path
    relationship: RelationshipInstance | None = None
    check: bool = False
    diff: bool = False
    environment: dict[str, str | None] = field(default_factory=dict)
    tools: tuple[Path, ...] = ()
    own_digests: dict[str, str] = field(default_factory=dict)
    is_confidential: bool = False
    files: tuple[Path, ...] = ()
    unshown: frozenset[str] = frozenset()
    machine: dict[str, Any] | None = None
    node: str | None = None
    ordered_as: str | None = None
    orders: list[str] = field(default_factory=list)
    _host: Host | None = None

    @property
    def host(self) -> Host:
        """Where the operation runs."""
        if self._host is None:
            self._host = self.find_host()
        return self._host

    def look_for_host(self) -> None:
        """Find the host before the operation begins, if possible; else the operation fails with the reason."""
        with suppress(EnsembleError):
            _host = self.host

    @property
    def ran_on(self) -> str:
        """Name of the host that it runs or ran on: what never asks for its host runs on the controller."""
        return (self._host or Host()).name

    @property
    def owner(self) -> str:
        """The owner of the operation in refs: `app`, or `app::.requirements::db#0`."""
        part = f"::.requirements::{self.relationship.key}" if self.relationship is not None else ""
        return self.instance.name + part

    @property
    def workflow(self) -> str:
        """Name of the workflow."""
        return self.planned.workflow

    @property
    def made(self) -> Mapping[str, Any]:
        """What operations of the instance noted of what they made."""
        made: dict[str, Any] = reveal(self.instance.made) if self.relationship is None else {}
        return made

    @property
    def was_configured(self) -> bool:
        """Whether an earlier operation of this ensemble made or changed its instance, and succeeded."""
        return bool(self.instance.created and self.instance.last_config_change)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The operation's inputs, each evaluated when it is first read."""
        return self.scope.inputs

    @property
    def paths(self) -> Sequence[WrittenPath]:
        """Paths that it is the last of several to write."""
        return self.planned.paths

    @property
    def overwritten(self) -> Collection[str]:
        """What others write after it."""
        return self.planned.overwritten

    @property
    def instead(self) -> Mapping[str, Any]:
        """Arguments of its module that others set otherwise after it."""
        return self.planned.instead

    @property
    def followed(self) -> Sequence[str]:
        """Paths that its tasks write, and that links of its host may lead to what others write."""
        return self.planned.followed

    def left(self, path: str) -> Mapping[str, Any] | None:
        """What is recorded of a path."""
        recorded = self.instance.attributes.get(WRITTEN)
        found = recorded.get(path) if isinstance(recorded, Mapping) else None
        return found if isinstance(found, Mapping) else None

    def digest(self, checksum: str) -> str:
        """A digest of a file, keyed if the file may hold secrets."""
        hidden = self.is_confidential or self.setting("no_log") is True or any(r.sensitive for r in self.scope.reads)
        key = self.scope.evaluator.environment.digest_key
        return value_digest(mark_sensitive(checksum) if hidden else checksum, key)

    @property
    def timeout(self) -> float | None:
        """Seconds the operation may take."""
        implementation = self.operation.implementation
        return implementation.timeout if implementation else None

    @property
    def attributes(self) -> frozenset[str]:
        """Names of the attributes the entity declares."""
        return frozenset(self.entity.attributes) | frozenset(self.entity.type.attributes)

    @property
    def asked_outputs(self) -> frozenset[str]:
        """Names of the outputs that `get_operation_output` reads somewhere."""
        asked = self.scope.evaluator.topology.asked_outputs
        return frozenset(asked.get(self.operation.full_name, ()))

    @property
    def folder(self) -> Path:
        """The task's folder for rendered files: `planned/tasks/<instance>/<operation>`."""
        make_private(self.work)
        return self.work

    def exported(self) -> dict[str, Any]:
        """The environment variables that its connections export."""
        return self.scope.exported()

    def raw_input(self, name: str) -> Any:
        """An input as written, not evaluated."""
        assignment = self.operation.inputs.get(name)
        return assignment.value if assignment is not None else self.inputs.get(name)

    def setting(self, name: str, default: Any = None) -> Any:
        """An evaluated key of the implementation."""
        implementation = self.operation.implementation
        if implementation is None or name not in implementation.settings:
            return default
        return self.scope.evaluate(implementation.settings[name], self.operation.place)

    def check_preconditions(self) -> None:
        """Refuse to run where the instance's properties and attributes do not fit a JSON Schema of the implementation.

        Raises:
            InvalidInput: they do not.
        """
        schema = self.setting("preConditions")
        if schema is None:
            return
        known = {name: reveal(one) for name, one in (self.known("SELF", None) or {}).items() if name[0] != "."}
        if not fits(known, schema):
            raise InvalidInput(f"'{self.instance.name}' does not fit the preConditions", self.operation.place)

    def query(self, expression: object) -> Any:
        """Evaluate an `eval` expression in the context of the instance."""
        return self.scope.query(expression)

    def hide(self, value: object) -> None:
        """Mask a value from now on."""
        self.scope.evaluator.environment.redactor.add(value)

    def known(self, keyword: str, names: Collection[str] | None) -> dict[str, Any] | None:
        """What is known of SELF, HOST, SOURCE or TARGET, of these names or all; None if it means nothing."""
        return self.scope.known(keyword, names)

    def evaluate(self, value: object, variables: Mapping[str, object] | None = None) -> Any:
        """Evaluate a raw value, with more variables."""
        if not variables:
            return self.scope.evaluate(value, self.operation.place)
        scope = self.scope.evaluator.scope(
            self.instance,
            relationship=self.relationship,
            operation=self.operation,
            inputs=self.planned.inputs,
            variables=variables,
            base=self.operation.base,
        )
        return scope.evaluate(value, self.operation.place)

    def note_looked_up(self, found: LookedUp) -> None:
        """Note what Ansible read by itself, except parts of the implementation."""
        self.unshown = frozenset(found.hidden)
        note_looked_up(found, self.host.name, self._own_files, self.scope.context())

    def _own_files(self) -> list[Path]:
        folders = (self.scope.evaluator.environment.folder / name for name in OF_JOBS)
        return [*own_files(self.operation, self.root), *(folder.resolve() for folder in folders)]

    def may_be_made(self, paths: Sequence[Path]) -> bool:
        """Whether another operation may make a missing file at one of these paths."""
        return may_be_made(self.scope.evaluator.topology, paths, self.root, but=self.operation)

    def may_be_installed(self) -> bool:
        """Whether another operation may install what is missing."""
        return may_be_installed(self.scope.evaluator.topology, self.root)

    @property
    def plans_on_controller(self) -> bool:
        """Whether a plan is made, by which it is to run on the controller."""
        is_here = self.is_on_controller and self.planned.node is None
        return self.scope.evaluator.environment.plans and is_here and not self.tools

    @property
    def is_on_controller(self) -> bool:
        """Whether it is planned to run on the controller."""
        return self.planned.host in _LOCAL or (self.planned.host == "HOST" and not self.instance.host)

    def undefined(self, names: Collection[str]) -> dict[str, str]:
        """Those of the names that are no variables of its host, which is told; none if its variables are not known."""
        environment = self.scope.evaluator.environment
        with suppress(EnsembleError):
            own = {name for given in self._host_variables() for name in given}
            left = [name for name in names if name not in own and name not in environment.variables]
            return undefined_variables(left, self.planned.host, self.scope.context())
        return {}

    def _host_variables(self) -> Iterator[Collection[str]]:
        """Variables that its host has beside those of the inventory."""
        with suppress(EnsembleError):
            yield self.host.variables

    def note_file(self, path: Path) -> None:
        """Note a file or folder that the result is made of."""
        note(path.resolve(), self.scope.context())

    def read_inputs(self) -> dict[str, Any]:
        """The inputs that were read, sensitive ones redacted."""
        names = set(self.inputs)
        return {read.ref: read.value for read in self.scope.reads if read.ref in names}

    def read_properties(self) -> dict[str, Any]:
        """The instance's properties that were read, with their values."""
        prefix = f"::{self.instance.name}::"
        names = [read.ref.removeprefix(prefix) for read in self.scope.reads if read.ref.startswith(prefix)]
        own = self.scope.evaluator.scope(self.instance)
        declared = self.template.properties
        if self.operation.resource and HOST_PROPERTY in declared:
            names.append(HOST_PROPERTY)  # which says where it is to be deleted, if it moves
        return {name: own.property(name) for name in names if name in declared}


#: Words of an output's mapping for the task's own instance.
_OWN = ("SELF", "SOURCE")


def circle_fault(tasks: Iterable[JobTask], waiting: Mapping[str, Deferred]) -> InvalidInput | None:
    """Why a plan could only ever be blocked, by the names of what waits for what; None if something can be first.

    The tasks are those of the plan that run something, in its order; those that wait, by their operations' keys, cannot
    be rendered before an attribute is known.
    """
    first: dict[str, JobTask] = {}
    foreign = False
    for task in tasks:
        first.setdefault(task.planned.instance, task)
        foreign |= _may_set_others(task)
    if foreign:
        return None  # one of these operations may set the attributes
    needed = {name: _owner(waiting[task.planned.key]) for name, task in first.items() if task.planned.key in waiting}
    seen: set[str | None] = set()
    for start in needed:
        path: dict[str, int] = {}
        name: str | None = start
        while name is not None and name in needed and name not in seen:
            seen.add(name)
            path[name] = len(path)
            name = needed[name]
        if name is not None and name in path and needed[name] != name:
            return _fault(list(path)[path[name] :], first, waiting)
    return None


def _may_set_others(task: JobTask) -> bool:
    """Whether an operation may set attributes of other instances than its own."""
    operation = task.operation
    by_name = operation.implementation is not None and operation.implementation.class_name is not None
    mapped = any(mapping and mapping[0] not in _OWN for mapping in operation.outputs.values())
    return by_name or mapped or "resultTemplate" in operation.inputs


def _owner(deferred: Deferred) -> str | None:
    """The instance whose attribute is waited for."""
    return deferred.refs[0].partition(".")[0] if deferred.refs else None


def _fault(ring: list[str], first: Mapping[str, JobTask], waiting: Mapping[str, Deferred]) -> InvalidInput:
    tasks = [first[name] for name in ring]
    reads = [f"{task.planned.key} needs {waiting[task.planned.key].refs[0]}" for task in tasks]
    return InvalidInput(
        f"these wait for attributes of each other, and none can be first: {', '.join(reads)}",
        tasks[0].operation.place,
        "set one of the attributes by an operation that runs before",
    )
