"""Triggers of policies [TOSCA 1.3, 3.6.21, 3.6.22]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import Trigger
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.scalars import seconds
from ansible_ensemble.topology.workflows import ACTIVITIES, check_activity


def read_triggers(raw: Any, what: str, place: Place | None, problems: Problems) -> dict[str, Trigger]:
    """The triggers of a policy or policy type, by name."""
    triggers = {}
    for name, entry, where in problems.entries(raw, f"the triggers of {what}", place):
        body = problems.mapping(entry, f"trigger '{name}'", where)
        problems.check_keys(body, "trigger", where)
        triggers[name] = _read_trigger(name, body, where, problems)
    return triggers


def _read_trigger(name: str, body: Mapping[str, Any], place: Place | None, problems: Problems) -> Trigger:
    what = f"trigger '{name}'"
    event = body.get("event", body.get("event_type"))
    if isinstance(event, Mapping):
        problems.check_keys(event, "trigger_event", place)
        event = event.get("type")
    if not isinstance(event, str):
        problems.add(f"{what} has no event", place, "add event: and its name")
    made = Trigger(name, str(event), place=place)
    for part in ("schedule", "target_filter"):
        section = problems.mapping(body.get(part), f"the {part} of {what}", place_of(body, part))
        problems.check_keys(section, f"trigger_{part}", place_of(body, part))
        setattr(made, part, dict(section))
    condition = body.get("condition", body.get("constraint"))
    settings = body
    if isinstance(condition, Mapping) and "constraint" in condition:
        problems.check_keys(condition, "trigger_condition", place_of(body, "condition"))
        settings = {**body, **condition}
        condition = condition["constraint"]
    made.condition = list(condition) if isinstance(condition, list) else [] if condition is None else [condition]
    if settings.get("period") is not None:
        made.period = seconds(settings["period"])
        if made.period is None:
            problems.add(f"the period of {what} is {kind_of(settings['period'])}", place, "for instance 60 s")
    evaluations = settings.get("evaluations", 1)
    if not isinstance(evaluations, int) or isinstance(evaluations, bool) or evaluations < 1:
        problems.add(f"the evaluations of {what} are {kind_of(evaluations)}, not a number from 1", place)
        evaluations = 1
    made.evaluations = evaluations
    made.method = problems.text(settings.get("method"), f"the method of {what}", place)
    action = body.get("action")
    if "action" not in body:
        problems.add(f"{what} has no action", place)
    if isinstance(action, Mapping) and not any(name in ACTIVITIES for name in action):
        # the form of TOSCA 1.0 to 1.2: operations by name
        made.action = [{name: operation} for name, operation in action.items()]
        return made
    made.action = list(action) if isinstance(action, list) else [] if action is None else [action]
    for number, activity in enumerate(made.action):
        check_activity(activity, what, place_of(action, number), problems)
    return made
