"""The `status` section of an ensemble as plain data, and back (the form is Unfurl's)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.documents.places import key_place_of
from ansible_ensemble.documents.shape import Shape, misfit
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.language.given_input import GivenInput

#: Turns a value into what may stand in the file (a sensitive one encrypted or redacted).
Encode = Callable[[Any], Any]

_GIVEN: Shape = {"workflow?": (str, None), "changeId?": (str, None), "time?": (str, None)}
_REQUIREMENTS: Shape = [{"*": (str, {"target": str, "attributes?": (dict, None), "added?": ([str], None)})}]


def read_status(status: Mapping[str, Any]) -> Instances:
    """Make instances from the `status` section.

    The section may be written by hand: missing keys have defaults, and an instance may be listed under `instances`
    of another (it is hosted there) or at the top.
    """
    instances = Instances(outputs=dict(status.get("outputs") or {}), given=_read_given(status.get("givenInputs") or {}))
    open_lists: list[tuple[str | None, Mapping[str, Any]]] = [(None, status.get("instances") or {})]
    while open_lists:
        host, entries = open_lists.pop(0)
        for name, entry in entries.items():
            if instances.get(name) is not None:
                raise InvalidInput(f'instance "{name}" is listed twice in status', hint="remove one of the two")
            instances.add(_read_instance(name, host, entry or {}))
            if entry and entry.get("instances"):
                open_lists.append((name, entry["instances"]))
    return instances


def _read_instance(name: str, host: str | None, entry: Mapping[str, Any]) -> Instance:
    ready = entry.get("readyState") or {}
    if isinstance(ready, str):
        ready = {"local": ready}
    return Instance(
        name=name,
        template=entry.get("template", name),
        local=_word(Status, ready.get("local"), name, "readyState.local"),
        effective=_word(Status, ready.get("effective"), name, "readyState.effective"),
        state=_word(NodeState, ready.get("state"), name, "readyState.state"),
        priority=_word(Priority, entry.get("priority"), name, "priority") or Priority.REQUIRED,
        attributes=_known(entry.get("attributes")),
        properties=_known(entry.get("properties")),
        created=_text(entry.get("created")),
        protected=bool(entry.get("protected")),
        customized=bool(entry.get("customized")),
        imported=_text(entry.get("imported")),
        last_config_change=_text(entry.get("lastConfigChange")),
        last_state_change=_text(entry.get("lastStateChange")),
        host=host,
        inventory_host=_text(entry.get("inventoryHost")),
        relationships=dict(_read_relationships(name, entry.get("requirements") or [])),
        artifacts=dict(entry.get("artifacts") or {}),
        made=dict(entry.get("made") or {}),
        withheld={key for key, value in (entry.get("attributes") or {}).items() if _is_withheld(value)},
        retained=dict(entry.get("retained") or {}),
    )


def _read_given(entries: Mapping[str, Any]) -> dict[str, GivenInput]:
    problem = misfit(entries, {"*": _GIVEN}, "givenInputs")
    if problem is not None:
        raise InvalidInput(f"status: {problem}", key_place_of(entries, next(iter(entries))), "take it from git")
    return {
        name: GivenInput(
            entry.get("value"),
            entry.get("workflow") or "",
            entry.get("changeId") or "",
            entry.get("time") or "",
            key_place_of(entries, name),
        )
        for name, entry in entries.items()
    }


def write_given(given: GivenInput, encode: Encode) -> dict[str, Any]:
    """The entry of an input that a job was given."""
    origin = {"workflow": given.workflow, "changeId": given.job, "time": given.time}
    return {"value": encode(given.value), **{key: text for key, text in origin.items() if text}}


def _word(kind: Any, value: Any, name: str, key: str) -> Any:
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError:
        words = ", ".join(member.value for member in kind)
        raise InvalidInput(f'status of "{name}": {key} is "{value}"', hint=f"it must be one of {words}") from None


def _known(values: Any) -> dict[str, Any]:
    """The values that are known: one that is redacted, or of which a part is, was never stored."""
    return {key: value for key, value in (values or {}).items() if not _is_withheld(value)}


def _is_withheld(value: Any) -> bool:
    if isinstance(value, Mapping | list):
        return any(_is_withheld(item) for item in (value.values() if isinstance(value, Mapping) else value))
    return bool(value == REDACTED)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _read_relationships(name: str, requirements: list[Any]) -> Iterator[tuple[str, RelationshipInstance]]:
    problem = misfit(requirements, _REQUIREMENTS, "requirements")
    if problem is not None:
        raise InvalidInput(f'status of "{name}": {problem}', hint="take the entry from git, or `forget` the instance")
    for index, item in enumerate(requirements):
        for requirement, written in item.items():
            entry = {"target": written} if isinstance(written, str) else written
            key = str(entry.get("key", f"{requirement}#{index}"))
            yield (
                key,
                RelationshipInstance(
                    key=key,
                    target=entry["target"],
                    attributes=_known(entry.get("attributes")),
                    added=list(entry.get("added") or []),
                ),
            )


def write_instance(instance: Instance, encode: Encode) -> dict[str, Any]:
    """The entry of one instance, without the instances it hosts."""
    entry: dict[str, Any] = {"template": instance.template}
    if instance.attributes or instance.withheld:
        entry["attributes"] = {key: encode(value) for key, value in instance.attributes.items()}
        entry["attributes"].update(dict.fromkeys(sorted(instance.withheld), REDACTED))
    if instance.properties:
        entry["properties"] = {key: encode(value) for key, value in instance.properties.items()}
    requirements = [
        {key.partition("#")[0]: _write_relationship(relationship, encode)}
        for key, relationship in instance.relationships.items()
    ]
    if requirements:
        entry["requirements"] = requirements
    if instance.artifacts:
        entry["artifacts"] = instance.artifacts
    entry["priority"] = instance.priority.value
    entry["readyState"] = _ready_state(instance)
    for key, value in (
        ("lastConfigChange", instance.last_config_change),
        ("lastStateChange", instance.last_state_change),
        ("created", instance.created),
        ("inventoryHost", instance.inventory_host),
        ("protected", instance.protected),
        ("customized", instance.customized),
        ("imported", instance.imported),
        ("made", encode(instance.made)),
        ("retained", instance.retained),
    ):
        if value:
            entry[key] = value
    return entry


def _write_relationship(relationship: RelationshipInstance, encode: Encode) -> Any:
    entry: dict[str, Any] = {"target": relationship.target, "key": relationship.key}
    if relationship.attributes:
        entry["attributes"] = {key: encode(value) for key, value in relationship.attributes.items()}
    if relationship.added:
        entry["added"] = relationship.added
    return entry


def _ready_state(instance: Instance) -> dict[str, str]:
    ready = {"local": instance.status.value}
    if instance.effective is not None and instance.effective is not instance.status:
        ready["effective"] = instance.effective.value
    if instance.state is not None:
        ready["state"] = instance.state.value
    return ready
