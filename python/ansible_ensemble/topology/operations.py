"""What can be checked of operations before anything runs: their files, where they run, what their outputs set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.paths import is_there
from ansible_ensemble.language.artifacts import looks_like_file
from ansible_ensemble.language.entities import Entity, Implementation, Operation
from ansible_ensemble.language.function_check import FunctionCheck
from ansible_ensemble.language.functions import KEYWORDS, is_computed
from ansible_ensemble.topology.building import Building
from ansible_ensemble.topology.required import check_required
from ansible_ensemble.topology.tools import ASDF_TOOL, files_of, is_elsewhere

#: Types of containers, which are deployed by their image alone.
CONTAINERS = ("tosca.nodes.Container.Application.Docker", "unfurl.nodes.Container.Application.Docker")


def check_operations(building: Building, functions: FunctionCheck, *, check_files: bool) -> None:
    """Refuse operations that could not run: for want of a file or an input, with outputs that go nowhere.

    A missing file is an error, or a warning without `check_files`.
    """
    operations = list(_operations(building))
    check_required(building, operations)
    for owner, operation in operations:
        for name, target in operation.outputs.items():
            fault = functions.fault_of_target(target, owner) if target else None
            if fault is not None:
                message = f"output '{name}' of operation {operation.full_name}: {fault[0]}"
                building.problems.add(message, operation.place, fault[1])
        if operation.implementation is not None:
            _check_host(operation, operation.implementation, building)
            _check_files(operation, operation.implementation, building, check_files=check_files)
            _check_tools(operation.implementation, building)
    _check_deployed(building)


def _operations(building: Building) -> Iterator[tuple[Entity, Operation]]:
    """Every operation with its owner; one that a type shares among its templates comes once, with the first."""
    seen: set[int] = set()
    owners: list[Entity] = list(building.nodes.values())
    owners += [one for node in building.nodes.values() for one in node.requirements]
    for owner in owners:
        for interface in owner.interfaces.values():
            if id(interface) in seen:
                continue
            seen.add(id(interface))
            for operation in (*interface.operations.values(), *interface.notifications.values()):
                if id(operation) not in seen:
                    seen.add(id(operation))
                    yield owner, operation


def _check_host(operation: Operation, implementation: Implementation, building: Building) -> None:
    host = implementation.operation_host
    if host is None or is_computed(host) or host in (*KEYWORDS, "localhost") or host in building.nodes:
        return
    if building.scope.is_unfurl or host in building.entries:
        return
    # it may be a host of the inventory, which only the job knows
    hint = nearest(host, [*KEYWORDS[:5], *building.nodes])
    if hint:
        message = f"the operation_host '{host}' of operation {operation.full_name} is not a node template"
        building.problems.warn(NoticeCode.OPERATION_HOST, f"{message}: {hint}", operation.place)


def _check_files(
    operation: Operation, implementation: Implementation, building: Building, *, check_files: bool
) -> None:
    wanted: list[tuple[str, Path | None]] = []
    artifact = implementation.artifact
    if artifact is not None:
        wanted.append((artifact.file, artifact.base if artifact.repository is None else None))
    elif implementation.primary is not None and implementation.class_name is None:
        wanted.append((implementation.primary, operation.base))
    wanted = [(file, base) for file, base in wanted if looks_like_file(file)]
    wanted += [(one.file, one.base) for one in files_of(operation) if not one.file.startswith("/")]
    for file, base in wanted:
        if base is None or is_there(base / file) or is_there(building.scope.base / file):
            continue
        message = f"the file {file} of the operation {operation.full_name} does not exist"
        if check_files:
            building.problems.add(message, operation.place, f"looked for {base / file}")
        else:
            building.problems.warn(NoticeCode.MISSING_FILE, message, operation.place)


def _check_tools(implementation: Implementation, building: Building) -> None:
    """Warn of tools that nothing installs, and of files that nothing fetches: they have to be there."""
    for artifact in (*implementation.dependencies, *filter(None, [implementation.artifact])):
        if artifact.type == ASDF_TOOL and not artifact.interfaces:
            message = f"nothing installs {artifact.file or artifact.name}: {ASDF_TOOL} has no operations here"
            building.problems.warn(NoticeCode.IDLE_ARTIFACT, message, artifact.place)
    for artifact in implementation.dependencies:
        if is_elsewhere(artifact) and artifact.type != ASDF_TOOL and not artifact.interfaces:
            message = f"nothing fetches the dependency {artifact.file}: only files of the project lie beside a primary"
            building.problems.warn(NoticeCode.IDLE_ARTIFACT, message, artifact.place)


def _check_deployed(building: Building) -> None:
    """Warn of images and the like that are there to be deployed, on nodes that have nothing to do it with."""
    for name, node in building.nodes.items():
        if any(map(node.type.is_a, CONTAINERS)):
            continue
        for artifact in node.artifacts.values():
            if not building.types.is_a("artifact", artifact.type, "tosca.artifacts.Deployment"):
                continue
            if name not in building.substitutes and "select" not in node.directives and not node.deploys:
                message = f"nothing deploys the artifact '{artifact.name}' of '{name}': the node has no operation"
                building.problems.warn(NoticeCode.IDLE_ARTIFACT, message, artifact.place)
