"""Topologies and statuses made by hand, for tests of planning."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.written_paths import Write
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.lanes.host_patterns import host_matches
from ansible_ensemble.language.entities import (
    EntityType,
    Implementation,
    Interface,
    NodeTemplate,
    Operation,
    Relationship,
    Topology,
)
from ansible_ensemble.planning.context import Detected, OtherFile, PlannedInstance
from ansible_ensemble.planning.options import PlanOptions
from ansible_ensemble.planning.plan import Plan, ValueChange
from ansible_ensemble.planning.planner import make_plan

ROOT = EntityType("node", "tosca.nodes.Root")
DEPENDS_ON = EntityType("relationship", "tosca.relationships.DependsOn")
HOSTED_ON = EntityType("relationship", "tosca.relationships.HostedOn")
LIFECYCLE = ("create", "configure", "start", "stop", "delete")


def interfaces(names: Iterable[str]) -> dict[str, Interface]:
    """Interfaces with these operations, each named `Interface.operation` or as one of Standard."""
    made: dict[str, Interface] = {}
    for name in names:
        interface, _, operation = name.rpartition(".")
        interface = interface or "Standard"
        declared = made.setdefault(interface, Interface(interface, interface))
        declared.operations[operation] = Operation(interface, operation, Implementation(primary=f"run {name}"))
    return made


def node(name: str, operations: Iterable[str] = LIFECYCLE, **fields: Any) -> NodeTemplate:
    return NodeTemplate(name, ROOT, interfaces=interfaces(operations), **fields)


def relate(
    source: NodeTemplate, target: NodeTemplate, *, hosted: bool = False, operations: Iterable[str] = ()
) -> Relationship:
    relationship = Relationship(
        "host" if hosted else "dependency",
        HOSTED_ON if hosted else DEPENDS_ON,
        interfaces=interfaces(f"Configure.{name}" for name in operations),
        index=len(source.requirements),
        source=source,
        target=target,
    )
    source.requirements.append(relationship)
    target.incoming.append(relationship)
    return relationship


def topology(*templates: NodeTemplate) -> Topology:
    return Topology(Path("service.yaml"), {template.name: template for template in templates})


def deployed(*names: str, **fields: Any) -> Instances:
    """Instances that are up."""
    instances = Instances()
    for name in names:
        values = {"local": Status.OK, "state": NodeState.STARTED, "created": "A00000000001", **fields}
        instances.add(Instance(name, values.pop("template", name), **values))
    return instances


class ToldChanges:
    """Change detection that nothing has changed, but for what it is told."""

    def __init__(self, changed: Mapping[str, Sequence[str]] | None = None) -> None:
        self._changed = changed or {}

    def detect(self, member: PlannedInstance) -> dict[str, Detected]:
        value = ValueChange("property", "port", 1, 2)
        return {name: Detected(changes=[value]) for name in self._changed.get(member.name, ())}

    def properties(self, member: PlannedInstance) -> list[ValueChange]:
        return []

    def wrote(self, instance: str, operation: str) -> list[str] | None:
        return []

    def matches(self, pattern: str, members: Collection[PlannedInstance]) -> list[tuple[str, Collection[str]]]:
        groups = {f"template_{one.template.name}": [one.name] for one in members}
        return host_matches(pattern, [one.name for one in members], groups)

    def host_of(self, member: PlannedInstance) -> str:
        if member.template.type.is_a("tosca.nodes.Compute"):
            return member.name
        return member.name.rpartition("@")[2] if "@" in member.name else "localhost"

    def other_file(self, member: PlannedInstance) -> OtherFile | None:
        return None

    def has_host(self, name: str) -> bool:
        return True

    def missing_host(self, member: PlannedInstance) -> str | None:
        return None

    def rests_on_host(self, member: PlannedInstance, host: str) -> bool:
        return False

    def paths(self, members: Collection[PlannedInstance]) -> Collection[str]:
        return ()

    def writes(self, member: PlannedInstance) -> Sequence[Write]:
        return ()

    def removes(self, member: PlannedInstance) -> Collection[str]:
        return ()

    def ran(self, instance: str) -> str:
        return ""

    def version_changed(self, member: PlannedInstance) -> bool:
        return False


def plan(
    spec: Topology,
    status: Instances | None = None,
    workflow: str = "deploy",
    changed: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> Plan:
    return make_plan(
        spec,
        status if status is not None else Instances(),
        workflow,
        PlanOptions(**options),
        ToldChanges(changed),
        ensemble="ensemble.yaml",
        base={},
    )


def keys(made: Plan) -> list[str]:
    return [operation.key for operation in made.operations]
