"""What is: an instance of a node template, and all instances of an ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.language.given_input import GivenInput


class RelationshipInstance(Struct, eq=False):
    """The live side of a relationship: its attributes and which Configure operations are in force.

    Attributes:
        key: `<requirement>#<index>`, unique among the source's; the index is the requirement's number in its template.
        target: name of the target instance.
        added: names of add_* operations that ran and whose remove_* did not.
    """

    key: str
    target: str
    attributes: dict[str, Any] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The requirement's name."""
        return self.key.partition("#")[0]

    @property
    def index(self) -> int:
        """The requirement's number among those of the source's template."""
        number = self.key.partition("#")[2].partition(".")[0]
        return int(number) if number.isdecimal() else 0


class Instance(Struct, eq=False):
    """The status of one instance (docs/rules.md, "Status section").

    Attributes:
        name: unique in the ensemble.
        template: name of its node template (which may be gone from the spec).
        local: its own status; None until known.
        effective: with its requirements' statuses considered; computed, not set by hand.
        properties: values of the properties that were read the last time it was configured.
        created: change id that created it, `::name` of the instance that manages it, or None (discovered).
        host: name of the instance it is HostedOn, which it is nested under in ensemble.yaml.
        inventory_host: the host of the inventory that it was, as operations ran on it; None if it was not one.
        made: what its operations noted of what they made, and of what was there before (`configurators.footprint`).
        withheld: names of sensitive attributes that have a value which could not be stored.
        retained: what is needed to delete it once its template is gone (operations, requirements).
    """

    name: str
    template: str
    local: Status | None = None
    effective: Status | None = None
    state: NodeState | None = None
    priority: Priority = Priority.REQUIRED
    attributes: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    created: str | None = None
    protected: bool = False
    customized: bool = False
    imported: str | None = None
    last_config_change: str | None = None
    last_state_change: str | None = None
    host: str | None = None
    inventory_host: str | None = None
    relationships: dict[str, RelationshipInstance] = field(default_factory=dict)
    artifacts: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    withheld: set[str] = field(default_factory=set)
    retained: dict[str, Any] = field(default_factory=dict)

    @property
    def manager(self) -> str | None:
        """Name of the instance that manages this one, None if none does."""
        return self.created[2:] if self.created and self.created.startswith("::") else None

    @property
    def status(self) -> Status:
        """Local status; pending where none is recorded."""
        return self.local if self.local is not None else Status.PENDING


class Instances(Struct, eq=False):
    """All instances of an ensemble by name, in the order in which they are recorded.

    Attributes:
        outputs: of the topology.
        given: inputs of the topology that jobs were given, which last.
    """

    by_name: dict[str, Instance] = field(default_factory=dict)
    by_template: dict[str, list[Instance]] = field(default_factory=dict)
    by_manager: dict[str, list[Instance]] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    given: dict[str, GivenInput] = field(default_factory=dict)

    def add(self, instance: Instance) -> None:
        """Add an instance; its name must be new."""
        self.by_name[instance.name] = instance
        self.by_template.setdefault(instance.template, []).append(instance)
        self._enter(instance)

    def remove(self, name: str) -> None:
        """Forget an instance."""
        instance = self.by_name.pop(name)
        self.by_template[instance.template].remove(instance)
        self._leave(instance)

    def set_created(self, instance: Instance, created: str | None) -> None:
        """Set what created an instance: a change id, `::name` of its manager, or None."""
        self._leave(instance)
        instance.created = created
        self._enter(instance)

    def managed_by(self, name: str) -> list[Instance]:
        """The instances that the instance of this name manages."""
        return list(self.by_manager.get(name, ()))

    def _enter(self, instance: Instance) -> None:
        if instance.manager is not None:
            self.by_manager.setdefault(instance.manager, []).append(instance)

    def _leave(self, instance: Instance) -> None:
        if instance.manager is not None and instance in self.by_manager.get(instance.manager, ()):
            self.by_manager[instance.manager].remove(instance)

    def get(self, name: str) -> Instance | None:
        """The instance of this name, or None."""
        return self.by_name.get(name)

    def of_template(self, template: str) -> list[Instance]:
        """The instances of a node template, oldest first."""
        return self.by_template.get(template, [])

    def __iter__(self) -> Iterator[Instance]:
        return iter(self.by_name.values())

    def __len__(self) -> int:
        return len(self.by_name)
