"""Decorators of Unfurl's dialect: what a service template adds to the node templates that an expression leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import key_place_of, named_entries, place_of
from ansible_ensemble.language.types import Scope
from ansible_ensemble.topology.building import Building, Entry
from ansible_ensemble.topology.copies import merged

Entries = dict[str, Entry | None]


def decorate(entries: Entries, building: Building) -> None:
    """Merge the decorators of a file, and of those that it imports, over its node templates.

    The file's own come last, so they win. An expression is the name or type of node templates; with `::` it goes on to
    the requirements of this name, and then to their targets of this name or type.
    """
    for scope in reversed(building.scopes()):
        raw, place = scope.document.get("decorators"), place_of(scope.document, "decorators")
        section = building.problems.mapping(raw, "the decorators", place)
        if section and not scope.is_unfurl:
            building.problems.warn(
                NoticeCode.IGNORED_KEY, "`decorators` are ignored: they are of Unfurl's dialect", place
            )
            continue
        for expression, patch in section.items():
            where = key_place_of(section, expression)
            body = building.problems.mapping(patch, f"the decorator '{expression}'", where)
            found = _found(expression.removeprefix("::").split("::"), scope, entries, building)
            if not found:
                building.problems.warn(
                    NoticeCode.IDLE_DECORATOR, f"the decorator '{expression}' leads to no node template", where
                )
            for name in found:
                entry = entries[name]
                if entry is not None:
                    entries[name] = Entry(merged(entry.raw, body, body), entry.place, entry.scope)


def _found(steps: Sequence[str], scope: Scope, entries: Entries, building: Building) -> list[str]:
    """Names of the node templates that the steps of an expression lead to."""
    found = _that_are(steps[0], entries, scope, entries, building)
    for requirement, target in zip(steps[1::2], steps[2::2], strict=False):
        targets = [name for source in found for name in _targets(entries[source], requirement)]
        found = _that_are(target, dict.fromkeys(targets), scope, entries, building)
    return found if len(steps) % 2 else []


def _that_are(wanted: str, names: Iterable[str], scope: Scope, entries: Entries, building: Building) -> list[str]:
    """Those of these node templates that have this name, or are of this type."""
    types = building.types
    declared = types.find("node", wanted, scope)

    def fits(entry: Entry) -> bool:
        kind = entry.raw.get("type")
        own = types.find("node", kind, entry.scope) if isinstance(kind, str) and declared is not None else None
        return own is not None and declared is not None and types.entity(own).is_a(declared.name)

    known = ((name, entries.get(name)) for name in names)
    return [name for name, entry in known if entry is not None and (name == wanted or fits(entry))]


def _targets(entry: Entry | None, requirement: str) -> list[str]:
    """Names that the requirements of this name of a node template give as their targets."""
    section: Any = entry.raw.get("requirements") if entry is not None else None
    given = named_entries(section) if isinstance(section, list | Mapping) else ()
    ends = [one[requirement] for one in given if isinstance(one, Mapping) and requirement in one]
    targets = [end.get("node") if isinstance(end, Mapping) else end for end in ends]
    return [target for target in targets if isinstance(target, str)]
