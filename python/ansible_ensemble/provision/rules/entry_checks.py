"""What is wrong with the entries of a task list, and with lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.catalog import Catalog

#: What errors call the kinds of objects.
TITLES = {
    "bootenvs": "Bootenv",
    "params": "Param",
    "profiles": "Profile",
    "roles": "Role",
    "stages": "Stage",
    "tasks": "Task",
    "templates": "Template",
    "workflows": "Workflow",
}


def flaws_of_entries(entries: Sequence[str]) -> Iterator[str]:
    """Which entries cannot be in a task list; `context:` alone means the machine itself."""
    for entry in entries:
        prefix, value = split_entry(entry)
        plugin, colon, command = value.partition(":")
        incomplete = prefix == "action" and colon and not (plugin and command)
        if prefix != "context" and (not value or incomplete):
            yield f"Invalid task entry `{entry}`"


def duplicates(title: str, names: Sequence[str]) -> Iterator[str]:
    """Which names are in a list again, and where."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            yield f"Duplicate {title} {name}: at {first[name]} and {index}"


def missing(references: Iterable[tuple[str, str]], catalog: Catalog) -> Iterator[str]:
    """Which of these objects are not there."""
    for prefix, key in references:
        if catalog.get(KINDS[prefix], key) is None:
            yield f"{TITLES[prefix]} {key} does not exist"


def unusable(references: Iterable[tuple[str, str]], catalog: Catalog) -> Iterator[str]:
    """Which of these objects are not there, or not available."""
    for prefix, key in references:
        found: Object | None = catalog.get(KINDS[prefix], key)
        if found is None:
            yield f"{TITLES[prefix]} {key} does not exist"
        elif not found.available:
            yield f"{TITLES[prefix]} {key} is not available"
