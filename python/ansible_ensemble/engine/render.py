"""Render: planned operations become tasks, with their instances, scopes and hosts."""

from __future__ import annotations

from collections.abc import Mapping, Set
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.dependencies import put_beside
from ansible_ensemble.configurators.implementation import MODULE
from ansible_ensemble.configurators.protocol import Configurator, SubTask
from ansible_ensemble.configurators.registry import configurator_for, find_faults
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.errors import InvalidInput, each, raise_all
from ansible_ensemble.documents.paths import folder_name
from ansible_ensemble.engine.placement import place
from ansible_ensemble.engine.task import JobTask, circle_fault
from ansible_ensemble.ensembles.change_detector import ChangeDetector
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.hosts import HostFinder
from ansible_ensemble.ensembles.implementation import own_digests
from ansible_ensemble.ensembles.job_inputs import given_variables
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.revisions import current_folder
from ansible_ensemble.ensembles.used_files import FileDigests, surroundings, used_files
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.instances.status import Priority
from ansible_ensemble.language.entities import (
    Assignment,
    Entity,
    Implementation,
    NodeTemplate,
    Operation,
)
from ansible_ensemble.planning.adopt import ADOPT
from ansible_ensemble.planning.assigned import assigned_inputs
from ansible_ensemble.planning.context import PlannedInstance, whole_ensemble
from ansible_ensemble.planning.expand import links_of
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.projects.folders import ACTIVE, task_folder
from ansible_ensemble.projects.secret_files import open_secrets
from ansible_ensemble.topology.installers import folder_of, installers_of
from ansible_ensemble.topology.required import inputs_without_value
from ansible_ensemble.topology.scaling import hosting
from ansible_ensemble.topology.tools import files_of, tool_names
from ansible_ensemble.views.data import secrets_of
from ansible_ensemble.views.evaluation_environment import look_up
from ansible_ensemble.views.reads import Deferred


class Renderer:
    """Makes the tasks of a job, on hosts of the ensemble or of those names that the Ansible inventory knows."""

    def __init__(self, ensemble: Ensemble, options: JobOptions, inventory: Set[str] = frozenset()) -> None:
        self._ensemble = ensemble
        self._options = options
        self._hosts = HostFinder(ensemble.evaluator, ensemble.instances, inventory)
        self._detector = ChangeDetector(ensemble)
        self._tools = tool_names(ensemble.topology)

    def task(self, planned: PlannedOperation, task_id: str) -> JobTask:
        """The task of a planned operation. Its instance is made in memory where it is new."""
        template = self._template(planned)
        instance = self._instance(planned, template)
        entity, relationship = self._entity(planned, template, instance)
        operation = _with_inputs(self._operation(planned, entity), self._assigned(planned))
        for fault in inputs_without_value(entity, operation, planned.inputs):
            raise fault
        scope = self._ensemble.evaluator.scope(
            instance, relationship=relationship, operation=operation, inputs=planned.inputs, base=operation.base
        )
        above, name = self._ensemble.work or self._ensemble.folder, planned.key.partition(":")[2]
        return JobTask(
            id=task_id,
            planned=planned,
            operation=operation,
            instance=instance,
            template=template,
            entity=entity,
            scope=scope,
            find_host=partial(self._hosts.find, planned.host, instance, relationship, operation),
            open_secrets=partial(
                open_secrets,
                self._ensemble.folder / ACTIVE / "secrets" / folder_name(planned.instance),
                self._ensemble.environment.vault,
            ),
            passed_options=self._passed_options,
            base=operation.base or self._ensemble.folder,
            root=self._ensemble.root,
            work=task_folder(above, "tasks", planned.instance, name),
            directory=current_folder(self._ensemble.path, operation.base or self._ensemble.folder),
            relationship=relationship,
            check=self._options.check,
            diff=self._options.diff or planned.workflow == ADOPT,
            environment=dict(self._ensemble.environment.variables),
            tools=self._tool_folders(template),
            is_confidential=self._ensemble.environment.vault.has_password,
            machine=self._hosts.newly_found(planned.host, instance),
            own_digests=own_digests(operation, self._ensemble.root) if operation.implementation else {},
        )

    def _passed_options(self) -> AbstractContextManager[tuple[list[str], Path | None]]:
        from ansible_ensemble.ensembles.passed_options import passed_options  # which few jobs need

        given = given_variables(self._options, self._ensemble.codec)
        return passed_options(self._options, self._ensemble.environment.vault.passwords, given)

    def _tool_folders(self, template: NodeTemplate) -> tuple[Path, ...]:
        return tuple(self._tool_folder(one) for one in installers_of(template))

    def _tool_folder(self, installer: NodeTemplate) -> Path:
        """Where an installer puts what it installs; one of another ensemble is found where that has it."""
        instance, around = self._ensemble.instances.get(installer.name), self._ensemble.evaluator.environment
        name, _separator, selected = ((instance.imported if instance is not None else None) or "").partition(":")
        other = look_up(around.externals, name) if name else None
        if not isinstance(other, Scope):
            return folder_of(installer, self._ensemble.topology, self._ensemble.root)
        topology, found = other.evaluator.topology, other.evaluator.instances.get(selected)
        template = topology.node_templates.get(found.template if found is not None else selected, installer)
        return folder_of(template, topology, other.evaluator.environment.root)

    def _assigned(self, planned: PlannedOperation) -> dict[str, object]:
        """The inputs that a workflow's step or a trigger's action gives it; secrets in them are masked from now on."""
        inputs = assigned_inputs(self._ensemble.topology, planned.assigned)
        for secret in secrets_of(inputs):
            self._ensemble.redactor.add(secret)
        return inputs

    def _template(self, planned: PlannedOperation) -> NodeTemplate:
        template = self._ensemble.topology.node_templates.get(planned.template)
        if template is None:
            if planned.interface == "run":
                return whole_ensemble().template
            raise InvalidInput(f'the spec has no node template "{planned.template}"', hint="make a new plan")
        return template

    def _instance(self, planned: PlannedOperation, template: NodeTemplate) -> Instance:
        instance = self._ensemble.instances.get(planned.instance)
        if instance is not None:
            return instance
        instance = Instance(planned.instance, template.name, priority=Priority(planned.priority))
        instance.host = hosting(template, planned.instance)
        if planned.interface != "run" or template.name != "ensemble":
            self._ensemble.instances.add(instance)
        return instance

    def _entity(
        self, planned: PlannedOperation, template: NodeTemplate, instance: Instance
    ) -> tuple[Entity, RelationshipInstance | None]:
        if planned.relationship is None:
            return template, None
        index = int(planned.relationship.partition("#")[2].partition(".")[0])
        relationship = next((one for one in template.requirements if one.index == index), None)
        if relationship is None or planned.target is None:
            raise InvalidInput(f'"{template.name}" has no requirement {planned.relationship}', hint="make a new plan")
        live = instance.relationships.get(planned.relationship)
        if live is None or live.target != planned.target:  # it led to another one
            live = RelationshipInstance(planned.relationship, planned.target)
        return relationship, live

    def _operation(self, planned: PlannedOperation, entity: Entity) -> Operation:
        if planned.interface == "run":
            return self._command(planned)
        if not planned.implementation:
            return Operation(planned.interface, planned.operation)
        operation = entity.operation(planned.interface, planned.operation)
        if operation is None:
            raise InvalidInput(f'"{entity.name}" has no operation {planned.full_name}', entity.place, "make a new plan")
        return operation

    def _command(self, planned: PlannedOperation) -> Operation:
        """The operation that an ad-hoc command is (docs/rules.md, "Ad-hoc jobs")."""
        asked = planned.command
        assert asked is not None
        command = asked.command
        if asked.workflow:
            return self._workflow(planned, asked.workflow)
        if asked.module:
            arguments = dict(part.partition("=")[::2] for part in command if "=" in part)
            free = " ".join(part for part in command if "=" not in part)
            values: dict[str, Any] = {**arguments, **({"_raw_params": free} if free else {})}
            implementation = Implementation(primary=asked.module, class_name=MODULE)
        else:
            values = {"command": command[0] if len(command) == 1 else list(command)}
            implementation = Implementation(class_name="command")
        implementation.operation_host = asked.host or "ORCHESTRATOR"
        planned.host = implementation.operation_host
        inputs = {name: Assignment(value) for name, value in values.items()}
        return Operation("run", "command", implementation, inputs, base=self._ensemble.folder)

    def _workflow(self, planned: PlannedOperation, name: str) -> Operation:
        """The operation that a workflow is; what it is given is assigned to it."""
        workflow = self._ensemble.topology.workflows.get(name)
        operation = workflow.operation() if workflow is not None else None
        if operation is None or operation.implementation is None:
            raise InvalidInput(f'the spec has no workflow "{name}" with an implementation', hint="make a new plan")
        planned.host = operation.implementation.operation_host or "ORCHESTRATOR"
        implementation = replace(operation.implementation, operation_host=planned.host)
        return replace(operation, implementation=implementation)

    def configurator(self, task: JobTask) -> Configurator | None:
        """The task's configurator, rendered; None where nothing is implemented.

        Raises:
            Deferred: it needs a live attribute that is not set yet.
        """
        if task.operation.implementation is None:
            return None
        operation = task.operation
        beside = put_beside(operation, task.root, task.folder) if files_of(operation) else None
        if beside is not None:
            operation, task.files = beside.operation, beside.files
            task.base = task.directory = beside.folder
        configurator = configurator_for(operation, self._ensemble.root, self._tools)
        configurator.render(task)
        if getattr(configurator, "on_host", False):
            task.look_for_host()
        return configurator

    def place(self, task: JobTask) -> None:
        """Plan on which nodes of a mesh an operation runs, if it does."""
        place(task, self._ensemble.environment.mesh)

    def unmet(self, planned: PlannedOperation) -> str | None:
        """Why the filter of the operation's workflow step is not met; None if it is."""
        return self._detector.unmet(planned.guard.condition, self._member(planned))

    def has_changed(self, planned: PlannedOperation) -> bool:
        """Whether values that the operation read last time have changed."""
        member = self._member(planned)
        member.requirements = list(links_of(member.name, member.template, self._ensemble.instances.by_name))
        return any(found.changes for found in self._detector.detect(member).values())

    def _member(self, planned: PlannedOperation) -> PlannedInstance:
        instance = self._ensemble.instances.get(planned.instance)
        return PlannedInstance(planned.instance, self._template(planned), True, instance)

    def sub_operation(self, task: JobTask, order: SubTask) -> PlannedOperation:
        """The planned operation that a sub-task is."""
        name = order.instance or task.instance.name
        instance = self._ensemble.instances.get(name)
        if instance is None:
            raise InvalidInput(f'a sub-task names the instance "{name}", which does not exist', task.operation.place)
        template = self._ensemble.topology.node_templates[instance.template]
        operation = PlannedInstance(name, template, True, instance).find(order.operation)
        if operation is None:
            raise InvalidInput(f'"{name}" has no operation {order.operation}', task.operation.place)
        return PlannedOperation(
            key=f"{task.planned.key}>{name}:{operation.full_name}",
            instance=name,
            template=template.name,
            reason=Reason.RUN,
            workflow=task.planned.workflow,
            host=task.planned.host,
            priority=instance.priority.value,
            interface=operation.interface,
            operation=operation.name,
            implementation=operation.implementation.primary or "command" if operation.implementation else "",
            inputs=order.inputs,
        )


def check_renders(ensemble: Ensemble, plan: Plan, options: JobOptions) -> None:
    """Check that a plan's operations can be rendered, before anything runs (docs/rules.md, "Job lifecycle").

    A deploy checks the implementations of all operations, as `validate` does, for undeploy needs them one day.
    """
    known = set(ensemble.instances.by_name)
    faults = [*find_faults(ensemble.topology, ensemble.root)] if plan.workflow == "deploy" else []
    faults += render_faults(ensemble, plan, options)
    for name in set(ensemble.instances.by_name) - known:
        ensemble.instances.remove(name)
    raise_all(faults)


def render_faults(ensemble: Ensemble, plan: Plan, options: JobOptions) -> list[InvalidInput]:
    """Why operations of a plan can never be rendered; their instances are made in memory.

    The plan takes the digests of the files that they use. Operations that depend on live attributes which are not set
    yet are left for when these are.
    """
    renderer = Renderer(ensemble, options)
    faults: list[InvalidInput] = []
    tasks: list[JobTask] = []
    waiting: dict[str, Deferred] = {}
    digests = FileDigests(ensemble.root)
    for planned in plan.operations:
        if not planned.implementation:
            continue
        try:
            tasks.append(task := renderer.task(planned, ""))
            files = used_files(task.operation, task.template, task.scope.inputs, ensemble.root, ensemble.folder)
            digests.add(files)
            renderer.place(task)
            renderer.configurator(task)
        except Deferred as deferred:
            waiting[planned.key] = deferred
        except InvalidInput as error:
            faults += each(error)
    digests.add(surroundings(ensemble.root, ensemble.folder) if tasks else ())
    plan.files = dict(sorted(digests.found.items()))
    circle = circle_fault(tasks, waiting)
    return [*faults, *([circle] if circle else [])]


def _with_inputs(operation: Operation, assigned: Mapping[str, object]) -> Operation:
    """An operation with further inputs, not evaluated yet."""
    if not assigned:
        return operation
    given = {
        name: Assignment(value, operation.input_definitions.get(name), operation.place, operation.base)
        for name, value in assigned.items()
    }
    return replace(operation, inputs={**operation.inputs, **given})
