"""Imperative workflows [TOSCA 1.3, 3.6.26, 3.6.27, 3.8.7, 7]."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest, nearest_or_known
from ansible_ensemble.core.notices import Notice, NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.entities import NodeTemplate, ParameterDefinition, Workflow, WorkflowStep
from ansible_ensemble.language.interfaces import read_implementation, read_outputs
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.schema import read_definitions
from ansible_ensemble.topology.building import Building
from ansible_ensemble.topology.required import is_required

ACTIVITIES = ("delegate", "set_state", "call_operation", "inline")

#: Workflows that exist without being declared; a step may inline or delegate to them.
BUILT_IN = ("deploy", "undeploy", "install", "uninstall", "check", "discover", "start", "stop", "run")


class Called(Struct, frozen=True):
    """A workflow or an operation that an activity calls.

    Attributes:
        name: it in words.
        inputs: what it takes.
        values: names of inputs that have a value without the activity's.
    """

    name: str
    inputs: Mapping[str, ParameterDefinition]
    values: Collection[str] = ()


def check_activity(activity: Any, what: str, place: Place | None, problems: Problems) -> None:
    """Refuse an activity that is not a map with one of the four keys."""
    if not isinstance(activity, Mapping) or len(activity) != 1:
        problems.add(f"an activity of {what} must be a map with one key", place, f"one of {', '.join(ACTIVITIES)}")
        return
    ((name, body),) = activity.items()
    if name not in ACTIVITIES:
        problems.add(f"unknown activity '{name}' in {what}", place, nearest(str(name), ACTIVITIES))
    elif isinstance(body, Mapping) and name != "set_state":
        problems.check_keys(body, f"{name}_activity", place_of(activity, name) or place)


def called_workflow(activity: Mapping[str, Any]) -> tuple[Any, Any]:
    """The workflow's name and the inputs, as written, of a `delegate` or `inline`; the name is None for all others."""
    body = activity.get("delegate", activity.get("inline"))
    return (body.get("workflow"), body.get("inputs")) if isinstance(body, Mapping) else (body, None)


def check_called(building: Building, activity: Mapping[str, Any], what: str, place: Place | None) -> None:
    """Refuse a `delegate` or `inline` of a workflow that is not there, or with inputs that are not what it wants."""
    kind = next((key for key in ("delegate", "inline") if key in activity), None)
    if kind is None:
        return
    name, written = called_workflow(activity)
    known = [*building.topology.workflows, *BUILT_IN]
    if name not in known:
        verb = "inlines" if kind == "inline" else "delegates to"
        building.problems.add(f"{what} {verb} the unknown workflow {kind_of(name)}", place, nearest(str(name), known))
    elif name in building.topology.workflows:
        called = Called(f"the workflow '{name}'", building.topology.workflows[name].inputs)
        check_inputs(building, called, written, what, place)
    elif written:
        building.problems.add(f"{what} gives inputs to the workflow '{name}', which takes none", place)


def check_inputs(building: Building, called: Called, written: Any, what: str, place: Place | None) -> None:
    """Refuse inputs that are not what is called wants."""
    problems = building.problems
    inputs = given_inputs(written)
    if inputs is None:
        problems.add(f"the inputs that {what} gives are {kind_of(written)}", place, "write NAME: VALUE")
        return
    for name, value in inputs.items():
        definition, where = called.inputs.get(name), key_place_of(written, name) or place
        if definition is None:
            hint = nearest_or_known(name, called.inputs)
            problems.add(f"{what}: {called.name} has no input '{name}'", where, hint)
        elif value is not None:
            which = f"the input '{name}' that {what} gives to {called.name}"
            building.types.check_later(value, definition, which, where)
    for name, definition in called.inputs.items():
        has_value = inputs.get(name) is not None or definition.has_value or definition.has_default
        if definition.required and not has_value and name not in called.values:
            message = f"{what} gives no value for the input '{name}' of {called.name}"
            problems.add(message, place, f"add inputs: {{{name}: ...}} beside its name")


def given_inputs(written: Any) -> dict[str, Any] | None:
    """Inputs that an activity gives: a map, or a list of maps; None if it is neither."""
    entries = written if isinstance(written, list) else [written or {}]
    if not all(isinstance(entry, Mapping) for entry in entries):
        return None
    return {str(key): value for entry in entries for key, value in entry.items()}


def read_workflows(building: Building) -> None:
    """Read the workflows of a topology, and check the names in them."""
    problems, topology = building.problems, building.topology
    entries = building.section("workflows")
    for name, entry in entries.items():
        what, left_out = f"workflow '{name}'", False
        body = problems.mapping(entry.raw, what, entry.place)
        problems.check_keys(body, "workflow", entry.place)
        made = Workflow(name, place=entry.place)
        where = place_of(body, "inputs")
        made.inputs = read_definitions(body.get("inputs"), f"the inputs of {what}", where, entry.scope, {})
        if body.get("implementation") is not None:
            made.implementation = read_implementation(
                body["implementation"], what, place_of(body, "implementation"), entry.scope
            )
            made.base = entry.scope.base
            if body.get("steps") and building.types.is_strict:
                message = f"{what} has steps and an implementation"
                problems.add(message, place_of(body, "implementation"), "remove one of the two")
        _read_outputs(building, made, body, what)
        made.metadata = dict(problems.mapping(body.get("metadata"), f"metadata of {what}", entry.place))
        where = place_of(body, "preconditions")
        for number, raw in enumerate(
            problems.sequence(body.get("preconditions"), f"the preconditions of {what}", where)
        ):
            place = place_of(body["preconditions"], number)
            condition = problems.mapping(raw, f"a precondition of {what}", place)
            problems.check_keys(condition, "workflow_precondition", place)
            left_out = not _check_target(building, condition.get("target"), what, place) or left_out
            made.preconditions.append(dict(condition))
        if left_out and building.scope.is_unfurl:
            continue
        steps = problems.mapping(body.get("steps"), f"the steps of {what}", place_of(body, "steps"))
        for key, raw in steps.items():
            where, step = place_of(steps, key), f"step '{key}' of {what}"
            if isinstance(raw, Mapping):
                read = _read_step(building, key, raw, where, step)
                made.steps |= {key: read} if read is not None else {}
            else:
                problems.add(f"{step} must be a map, not {kind_of(raw)}", where)
        gone = steps.keys() - made.steps.keys()
        for one in made.steps.values():
            one.on_success = [name for name in one.on_success if name not in gone]
            one.on_failure = [name for name in one.on_failure if name not in gone]
        topology.workflows[name] = made
    for workflow in topology.workflows.values():
        _check_steps(building, workflow)


def _read_step(building: Building, name: str, raw: Any, place: Place | None, what: str) -> WorkflowStep | None:
    """A step; None if its target is not there, in Unfurl's dialect."""
    problems = building.problems
    body = problems.mapping(raw, what, place)
    problems.check_keys(body, "workflow_step", place)
    target = body.get("target")
    if building.scope.is_unfurl and isinstance(target, str) and target not in building.entries:
        # Unfurl's dialect: all node templates of a type
        declaration = building.types.find("node", target, building.scope)
        target = declaration.name if declaration is not None and target not in building.topology.groups else target
    if not _check_target(building, target, what, place_of(body, "target") or place) and building.scope.is_unfurl:
        return None
    step = WorkflowStep(name, str(target), place=place)
    step.relationship = problems.text(body.get("target_relationship"), f"target_relationship of {what}", place)
    step.operation_host = problems.text(body.get("operation_host"), f"operation_host of {what}", place)
    step.filter = list(problems.sequence(body.get("filter"), f"the filter of {what}", place_of(body, "filter")))
    step.on_success = problems.texts(body.get("on_success"), f"on_success of {what}", place_of(body, "on_success"))
    step.on_failure = problems.texts(body.get("on_failure"), f"on_failure of {what}", place_of(body, "on_failure"))
    _check_relationship(building, step, what, place_of(body, "target_relationship"))
    activities = problems.sequence(body.get("activities"), f"the activities of {what}", place_of(body, "activities"))
    if body.get("activities") is None and isinstance(raw, Mapping):
        problems.add(f"{what} has no activities", place, f"what it does is any of {', '.join(ACTIVITIES)}")
    for number, activity in enumerate(activities):
        where = place_of(activities, number)
        check_activity(activity, what, where, problems)
        if isinstance(activity, Mapping):
            step.activities.append(dict(activity))
            _check_operation(building, step, activity, what, where)
    return step


def _read_outputs(building: Building, workflow: Workflow, body: Mapping[str, Any], what: str) -> None:
    """Read the outputs of an implementation, each mapped to an attribute of a node template; steps give none."""
    if body.get("outputs") is None:
        return
    place = key_place_of(body, "outputs") or workflow.place
    if workflow.implementation is None or body.get("steps"):
        remedy = "steps give none: map those of their operations"
        message = f"`outputs` of {what} is ignored"
        building.problems.notices.append(Notice(NoticeCode.IGNORED_KEY, message, place, special=remedy))
        return
    workflow.outputs = read_outputs(body["outputs"], what, body, building.scope)
    nodes = building.topology.node_templates
    for name, mapped in workflow.outputs.items():
        if mapped and mapped[0] not in nodes:
            message = f"the output '{name}' of {what} is mapped to {kind_of(mapped[0])}, which is no node template"
            where = place_of(body["outputs"], name) or place
            building.problems.add(message, where, nearest_or_known(str(mapped[0]), nodes) or "[NODE, attribute]")


def _check_target(building: Building, target: Any, what: str, place: Place | None) -> bool:
    """Whether a target is there; else it is an error, and in Unfurl's dialect a warning: what has it is left out."""
    if isinstance(target, str) and (target in building.entries or target in building.topology.groups):
        return True
    problems, is_unfurl = building.problems, building.scope.is_unfurl
    if is_unfurl and any(node.type.is_a(str(target)) for node in building.nodes.values()):
        return True
    if not isinstance(target, str):
        problems.add(f"the target of {what} is {kind_of(target)}", place, "name a node template or a group")
        return False
    message = f"{what} has the target '{target}', which does not exist"
    if is_unfurl:
        problems.warn(NoticeCode.LEFT_OUT, f"{message}: it is left out", place)
    else:
        problems.add(message, place, nearest(target, [*building.entries, *building.topology.groups]))
    return False


def _check_relationship(building: Building, step: WorkflowStep, what: str, place: Place | None) -> None:
    """Refuse a `target_relationship` that none of the step's targets has."""
    group = building.topology.groups.get(step.target)
    names = [step.target] if group is None else [step.target, *group.members]
    found = [one for name in names if name in building.nodes for one in building.nodes[name].requirements]
    known = [name for one in found for name in (one.name, one.template, one.type.name) if name]
    if step.relationship is not None and step.relationship not in known:
        message = f"{what} has the target_relationship '{step.relationship}', but its target has no such requirement"
        building.problems.add(message, place, nearest_or_known(step.relationship, [one.name for one in found]))


def _check_operation(
    building: Building, step: WorkflowStep, activity: Mapping[str, Any], what: str, place: Place | None
) -> None:
    called = activity.get("call_operation")
    if isinstance(called, Mapping):
        called = called.get("operation")
    if called is None:
        return
    by_type = (one for one in building.nodes.values() if one.type.is_a(step.target))
    node = building.nodes.get(step.target) or next(by_type, None)
    if not isinstance(called, str) or "." not in called:
        building.problems.add(f"{what} calls {kind_of(called)}", place, "write interface.operation")
    elif node is not None and step.relationship is None:
        fault = missing_operation(node, called)
        if fault is not None:
            building.problems.add(f"{what} calls '{called}': {fault[0]}", place, fault[1])


def missing_operation(node: NodeTemplate, called: str) -> tuple[str, str | None] | None:
    """Why a node template has no operation `interface.operation`, and a hint; None if it has it."""
    interface_name, _separator, name = called.rpartition(".")
    interface = node.find_interface(interface_name)
    if interface is None:
        return f"'{node.name}' has no interface '{interface_name}'", nearest(interface_name, node.interfaces)
    if name not in interface.operations and not interface.is_open:
        return f"'{node.name}' has no such operation", nearest(name, interface.operations)
    return None


def _check_steps(building: Building, workflow: Workflow) -> None:
    for step in workflow.steps.values():
        for following in (*step.on_success, *step.on_failure):
            if following not in workflow.steps:
                hint = nearest(following, workflow.steps)
                message = (
                    f"step '{step.name}' of workflow '{workflow.name}' names the step '{following}', which is missing"
                )
                building.problems.add(message, step.place, hint)
        for activity in step.activities:
            where = place_of(activity, next(iter(activity), None)) or step.place
            what = f"step '{step.name}' of workflow '{workflow.name}'"
            check_called(building, activity, what, where)
            if building.types.is_strict:
                _check_call(building, workflow, step, activity, where)


def _check_call(
    building: Building, workflow: Workflow, step: WorkflowStep, activity: Mapping[str, Any], place: Place | None
) -> None:
    """Refuse inputs of an operation that it does not take, those of another type, and that one is missing."""
    what = f"step '{step.name}' of workflow '{workflow.name}'"
    called = activity.get("call_operation")
    body = called if isinstance(called, Mapping) else {"operation": called}
    interface, _separator, name = str(body.get("operation")).rpartition(".")
    node = building.nodes.get(step.target)
    found = node.find_interface(interface) if node is not None else None
    operation = found.operations.get(name) if found is not None else None
    if operation is None:
        return
    title = f"the operation {operation.full_name}"
    check_inputs(
        building, Called(title, operation.input_definitions, operation.inputs), body.get("inputs"), what, place
    )
    for key, value in (given_inputs(body.get("inputs")) or {}).items():
        source = workflow.inputs.get(str(value.get("get_input"))) if isinstance(value, Mapping) else None
        wanted = operation.input_definitions.get(key)
        if source is None or wanted is None:
            continue
        if is_required(wanted) and not (source.required or source.has_default or source.has_value):
            message = f"{what} gives the required input '{key}' of {title} the input '{source.name}'"
            hint = "declare that one with required: true, or give it a default"
            building.problems.add(f"{message}, which may have no value", place, hint)
        if building.types.refines(source.schema.type, wanted.schema.type):
            continue
        message = f"{what} gives {title} the input '{key}' of type {source.schema.type}, not {wanted.schema.type}"
        building.problems.add(message, place)
