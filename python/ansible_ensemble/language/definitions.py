"""What types and templates are both made of: values and their definitions, artifacts, operations, interfaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.sensitive import is_secret_name


class Schema(Struct):
    """The schema of a value: a data type with constraints and entries [TOSCA 1.3, 3.6.10].

    Attributes:
        type: canonical name of the data type (`string`, `map`, `tosca.datatypes.Credential`, ...).
        entry_schema, key_schema: of lists and maps.
        constraints: raw constraint clauses, e.g. `{"in_range": [1, 5]}`.
    """

    type: str
    entry_schema: Schema | None = None
    key_schema: Schema | None = None
    constraints: list[dict[str, Any]] = field(default_factory=list)


class ParameterDefinition(Struct):
    """Definition of a property, attribute, input or output [TOSCA 1.3, 3.6.10, 3.6.12, 3.6.14]."""

    name: str
    schema: Schema
    required: bool = True
    default: Any = None
    has_default: bool = False
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    status: str = "supported"
    place: Place | None = None
    #: directory that relative paths in a computed default start in
    base: Path | None = None
    #: raw value (an output's, or a fixed input's) and whether there is one
    value: Any = None
    has_value: bool = False

    @property
    def sensitive(self) -> bool:
        """Whether metadata marks it as sensitive."""
        return bool(self.metadata.get("sensitive"))

    @property
    def is_secret(self) -> bool:
        """Whether errors hide its value: it is sensitive, or its name is that of a secret."""
        return self.sensitive or is_secret_name(self.name)


class Assignment(Struct):
    """A raw value given to a property, attribute or input, with where it was written.

    Attributes:
        value: raw value.
        definition: its declared definition, None where none is declared.
        place: the position of the value.
        base: directory of its file (relative paths in it start there).
        is_default: whether the value is the definition's default.
    """

    value: Any
    definition: ParameterDefinition | None = None
    place: Place | None = None
    base: Path | None = None
    is_default: bool = False


class Artifact(Struct, eq=False):
    """An artifact of a node template or of an operation [TOSCA 1.3, 3.6.7].

    Attributes:
        file: as written: a path, a URL, an image name.
        interfaces: those of its type.
        base: directory relative paths start in (the file's that declares it, or its repository's).
    """

    name: str
    type: str
    file: str
    repository: str | None = None
    deploy_path: str | None = None
    checksum: str | None = None
    checksum_algorithm: str | None = None
    version: str | None = None
    properties: dict[str, Assignment] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    place: Place | None = None
    base: Path | None = None


class Implementation(Struct, eq=False):
    """How an operation is implemented [TOSCA 1.3, 3.6.16].

    Attributes:
        primary: what runs: a file's path, a module's FQCN, a role's name, a shell command, a configurator's
            name, or an artifact (then `artifact` is set as well).
        class_name: configurator asked for by name (`className`, `configurator`).
        dependencies: files that lie beside the primary when it runs, and tools that it needs.
        operation_host: SELF, HOST, SOURCE, TARGET, ORCHESTRATOR, or the name of a node template or of a host of the
            inventory.
        timeout: seconds.
        settings: every other key, as written (`environment`, `become`, `fast`, `preConditions`, ...).
        may_be_program: whether a word that names nothing else is a program's, as in Unfurl's dialect.
    """

    primary: str | None = None
    artifact: Artifact | None = None
    class_name: str | None = None
    dependencies: list[Artifact] = field(default_factory=list)
    operation_host: str | None = None
    timeout: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    may_be_program: bool = False


class Operation(Struct, eq=False):
    """An operation of an entity, as it is after inheritance.

    Attributes:
        interface: the interface's name on the entity (`Standard`, `Configure`, `Install`, ...).
        inputs: raw inputs by name: interface-level ones, then operation-level ones over them.
        input_definitions: the inputs that are declared, those without a value too.
        outputs: output name -> [entity keyword or template name, attribute name, ...path]; empty if it sets none.
        base: directory its relative files start in.
        resource: the name of the resource that it is made of; None if it is written as an operation.
    """

    interface: str
    name: str
    implementation: Implementation | None = None
    inputs: dict[str, Assignment] = field(default_factory=dict)
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    base: Path | None = None
    input_definitions: dict[str, ParameterDefinition] = field(default_factory=dict)
    resource: str | None = None

    @property
    def full_name(self) -> str:
        """`Interface.operation`."""
        return f"{self.interface}.{self.name}"

    @property
    def title(self) -> str:
        """What it is in an error: the resource that it is made of, as users write no operation there."""
        return f"'{self.resource}'" if self.resource is not None else f"the operation {self.full_name}"


class Interface(Struct, eq=False):
    """An interface of an entity [TOSCA 1.3, 3.6.20].

    Attributes:
        type: canonical name of the interface type.
        inputs, input_definitions: what every operation of the interface has as inputs.
        connections: in Unfurl's dialect, types of the connections that its operations need.
        is_open: whether templates may add operations that the type does not declare.
    """

    name: str
    type: str
    operations: dict[str, Operation] = field(default_factory=dict)
    notifications: dict[str, Operation] = field(default_factory=dict)
    inputs: dict[str, Assignment] = field(default_factory=dict)
    input_definitions: dict[str, ParameterDefinition] = field(default_factory=dict)
    connections: tuple[str, ...] = ()
    is_open: bool = False


class Trigger(Struct, eq=False):
    """A trigger of a policy [TOSCA 1.3, 3.6.22]; the condition and actions are as written."""

    name: str
    event: str
    schedule: dict[str, Any] = field(default_factory=dict)
    target_filter: dict[str, Any] = field(default_factory=dict)
    condition: list[Any] = field(default_factory=list)
    period: float | None = None
    evaluations: int = 1
    method: str | None = None
    action: list[Any] = field(default_factory=list)
    place: Place | None = None
