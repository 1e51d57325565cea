"""Templates that copy another one, as a basis of their own [TOSCA 1.3, 3.8.3.3.1]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import Map, Seq, named_entries, place_of
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.topology.building import Building, Entry

#: Keys whose value is one thing: that of the copy takes the place of the other.
_WHOLE = frozenset({"node_filter", "implementation", "constraints"})


def copied(entries: Mapping[str, Entry], what: str, building: Building) -> dict[str, Entry | None]:
    """Each entry with what it copies under its own keys [TOSCA 1.3, 3.8.3.3.1].

    One is None, and an error, if it is not a map, or copies nothing that is there, or itself in the end.
    """
    wholes: dict[str, Entry | None] = {}
    for start in entries:
        chain: dict[str, None] = {}
        name = start
        while name not in wholes and name not in chain:
            chain[name] = None
            raw = entries[name].raw
            if not isinstance(raw, Mapping):
                message = f"{what} '{name}' must be a map, not {kind_of(raw)}"
                building.problems.add(message, entries[name].place)
                wholes[name] = None
            elif "copy" not in raw:
                wholes[name] = entries[name]
            elif not isinstance(raw["copy"], str) or raw["copy"] not in entries:
                message = f"{what} '{name}' copies {raw['copy']!r}, which does not exist"
                building.problems.add(message, place_of(raw, "copy"), nearest(raw["copy"], entries))
                wholes[name] = None
            else:
                name = raw["copy"]
        if name not in wholes:
            loop = [*list(chain)[list(chain).index(name) :], name]
            message = f"the copies form a cycle: {' -> '.join(loop)}"
            building.problems.add(message, place_of(entries[name].raw, "copy"), "define one of them without copy")
            wholes[name] = None
        for link in reversed(chain):
            if link not in wholes:
                origin = wholes[entries[link].raw["copy"]]
                wholes[link] = _over(origin, entries[link]) if origin is not None else None
    return {name: wholes[name] for name in entries}


def _over(origin: Entry, entry: Entry) -> Entry:
    """An entry merged over the one it copies; where both have a map, each of its keys by itself."""
    own = {key: value for key, value in entry.raw.items() if key != "copy"}
    return Entry(merged(origin.raw, own, entry.raw), entry.place, entry.scope)


def merged(below: Mapping[str, Any], above: Mapping[str, Any], places: Mapping[str, Any]) -> Map:
    """Two maps as one; `places` knows where the entries of the upper one stand."""
    made = Map()
    for key, value in below.items():
        if key not in above:
            made.adopt(key, value, below)
    for key, value in above.items():
        made.adopt(key, value, places)
        lower: Any = below.get(key)
        if key == "requirements":
            made[key] = _requirements(lower, value)
        elif key not in _WHOLE and _is_plain_map(lower) and _is_plain_map(value):
            made[key] = merged(lower, value, value)
    return made


def _is_plain_map(value: Any) -> bool:
    return isinstance(value, Mapping) and not is_computed(value)


def _requirements(below: Any, above: Any) -> Any:
    """Requirements by name: those of the copy, after those of the other that it does not give itself."""
    if not isinstance(above, list | Mapping) or not isinstance(below, list | Mapping):
        return above
    given = list(named_entries(above))
    names = {key for one in given if isinstance(one, Mapping) for key in one}
    kept = [one for one in named_entries(below) if isinstance(one, Mapping) and names.isdisjoint(one)]
    return Seq(kept + given)
