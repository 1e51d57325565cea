"""Activities of workflow steps and triggers [TOSCA 1.3, 3.6.23]."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest, nearest_or_known
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.entities import ParameterDefinition
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.topology.building import Building

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
            told = f"the input '{name}' that {what} gives to {called.name}"
            building.types.check_later(value, definition, told, where)
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
