"""A task: a planned operation on its way through a configurator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Host
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.expressions.files import note
from ansible_ensemble.expressions.inventory import note_variables
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.language.entities import Entity, NodeTemplate, Operation
from ansible_ensemble.planning.planned_operation import PlannedOperation


@dataclass(slots=True)
class JobTask:
    """What a configurator sees of its operation (the Protocol is `configurators.protocol.Task`).

    Attributes:
        id: its change id.
        planned: the planned operation.
        scope: where its values are evaluated; it records what is read.
        template: the instance's node template.
        find_host: finds where it runs, once that is asked for.
        open_secrets: the instance's folder in `active/secrets`, its files in clear while it is open.
        own_digests: what it is made of, as it is when it is rendered: a script may be replaced while it runs.
        entity: the node template or relationship whose operation it is.
        base: where its relative files start; directory: where its commands run, which in a rollback is not there.
        files: what was put there beside the primary.
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
    files: tuple[Path, ...] = ()
    _host: Host | None = None

    @property
    def host(self) -> Host:
        """Where the operation runs."""
        if self._host is None:
            self._host = self.find_host()
        return self._host

    def look_for_host(self) -> None:
        """Find the host before the operation begins, where that is possible; if not, the operation says why."""
        with suppress(EnsembleError):
            _host = self.host

    @property
    def ran_on(self) -> str:
        """Name of the host that it runs or ran on: what never asks for its host runs on the controller."""
        return (self._host or Host()).name

    @property
    def owner(self) -> str:
        """What the operation is of, as refs name it: `app`, or `app::.requirements::db#0`."""
        part = f"::.requirements::{self.relationship.key}" if self.relationship is not None else ""
        return self.instance.name + part

    @property
    def workflow(self) -> str:
        """Name of the workflow."""
        return self.planned.workflow

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The operation's inputs, each evaluated when it is first read."""
        return self.scope.inputs

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

    def query(self, expression: object) -> Any:
        """Evaluate an `eval` expression in the context of the instance."""
        return self.scope.query(expression)

    def hide(self, value: object) -> None:
        """Mask a value from now on wherever it would be shown."""
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

    def note_variables(self, names: Collection[str]) -> None:
        """Take down variables of its host that a play looked up by itself."""
        note_variables(names, self.host.name, self.scope.context())

    def note_file(self, path: Path) -> None:
        """Take down that what it makes is made of a file or folder."""
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
        return {name: own.property(name) for name in names if name in declared}
