"""Titles of operations."""

from __future__ import annotations

from typing import Any

#: Interfaces whose operations are known by their bare names.
_FAMILIAR = ("Standard", "Configure", "Install")


def short_operation(name: str) -> str:
    """The name without a normative interface: `configure`, but `Backup.save`."""
    interface, _separator, operation = name.rpartition(".")
    return operation if not interface or interface.rpartition(".")[2] in _FAMILIAR else name


def operation_title(operation: dict[str, Any]) -> str:
    """The title of an operation of a plan: `configure`, or `pre_configure_source of host` for a relationship's."""
    title = short_operation(f"{operation['interface']}.{operation['operation']}")
    return title + _of(operation.get("relationship"))


def key_title(key: str) -> str:
    """The title of an operation known by its key only: `app: configure`, `app: add_target of db`.

    A second operation of the same name has a `+` at the end of its key.
    """
    place, _separator, name = key.rstrip("+").rpartition(":")
    instance, _separator, relationship = place.partition(":")
    return f"{instance}: {short_operation(name)}{_of(relationship)}" if place else name


def event_title(event: dict[str, Any]) -> str:
    """The title of an operation in an event or a report: `app: configure`."""
    if "instance" not in event or "operation" not in event:
        return key_title(str(event["key"]))
    return f"{event['instance']}: {short_operation(event['operation'])}{_of(event.get('relationship'))}"


def _of(relationship: str | None) -> str:
    if not relationship:
        return ""
    requirement, _separator, index = relationship.partition("#")
    return f" of {requirement}" + (f"[{index}]" if index not in ("", "0") else "")
