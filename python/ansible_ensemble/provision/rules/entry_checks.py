"""What is wrong with the entries of a task list, and with lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.problem import Problem, absent, unavailable


def problems_of_entries(entries: Sequence[str]) -> Iterator[Problem]:
    """Which entries cannot be in a task list; `context:` alone means the machine itself."""
    for entry in entries:
        prefix, value = split_entry(entry)
        plugin, colon, command = value.partition(":")
        incomplete = prefix == "action" and colon and not (plugin and command)
        if prefix != "context" and (not value or incomplete):
            yield Problem(f"Invalid task entry `{entry}`", entry)


def duplicates(title: str, names: Sequence[str]) -> Iterator[Problem]:
    """Which names are in a list again, and where."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            yield Problem(f"Duplicate {title} {name}: at {first[name]} and {index}", index)


def missing(references: Iterable[tuple[str, str]], catalog: Catalog) -> Iterator[Problem]:
    """Which of these objects are not there."""
    for prefix, key in references:
        if catalog.get(KINDS[prefix], key) is None:
            yield absent((prefix, key))


def unusable(references: Iterable[tuple[str, str]], catalog: Catalog) -> Iterator[Problem]:
    """Which of these objects are not there, or not available."""
    for prefix, key in references:
        found: Object | None = catalog.get(KINDS[prefix], key)
        if found is None:
            yield absent((prefix, key))
        elif not found.available:
            yield unavailable((prefix, key))
