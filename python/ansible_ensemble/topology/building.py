"""A topology while it is being built: what the readers of its parts share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import Capability, Entity, EntityType, NodeTemplate, Topology
from ansible_ensemble.language.functions import function_name, is_computed
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.types import Scope, Types


class Entry(Struct):
    """An entry of a section of a topology template, with the file it is from."""

    raw: Any
    place: Place | None
    scope: Scope


class FunctionUse(Struct):
    """A value whose functions are to be checked once the topology is complete."""

    value: Any
    place: Place | None
    owner: Entity | None
    in_type: bool = False


#: Sections that no imported file adds to.
_OWN = frozenset({"outputs", "groups", "policies"})

#: Names of the node templates that an expression leads to from a node template, as far as it is connected.
FindMatches = Callable[[Topology, NodeTemplate, Any, Place | None], Collection[str]]


class Building(Struct):
    """A topology while it is being built.

    Attributes:
        topology: what is built so far. Its node templates are by the name that its own file gives them.
        scope: what its file sees.
        more: entries by section that stand outside of the service template; its own win.
        instead: node templates that take the place of its own.
        find_matches: evaluates the `match` expressions of node filters.
        complete: whether a requirement that nothing meets is an error; else it is a warning.
        namespace: the name of the node template that the topology substitutes, empty for the root topology.
        mapped: requirements that the substitution mapping hands on to the outer topology: (node, requirement).
        capabilities: capabilities as their node type has them, shared by the templates that assign nothing to them.
        substitutes: scopes of the nested topologies that node templates are substituted by, by name.
        entries: node templates as written, by name.
        uses: values whose functions are to be checked.
        typed: types whose own values are among the uses.
        dropped: node templates with the directive `conditional` that were left out, a requirement of theirs being
            unmet.
    """

    topology: Topology
    scope: Scope
    find_matches: FindMatches
    complete: bool = True
    namespace: str = ""
    mapped: frozenset[tuple[str, str]] = frozenset()
    capabilities: dict[tuple[EntityType, str], Capability] = field(default_factory=dict)
    substitutes: dict[str, Scope] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    uses: list[FunctionUse] = field(default_factory=list)
    typed: set[EntityType] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    more: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    instead: Mapping[str, Any] = field(default_factory=dict)

    @property
    def types(self) -> Types:
        """The types that the topology uses."""
        return self.scope.types

    @property
    def problems(self) -> Problems:
        """Where errors are noted."""
        return self.types.problems

    @property
    def nodes(self) -> dict[str, NodeTemplate]:
        """The node templates by the name that the topology's own file gives them."""
        return self.topology.node_templates

    def full_name(self, name: str) -> str:
        """The name of a node template in the whole topology."""
        return f"{self.namespace}:{name}" if self.namespace else name

    def section(self, name: str) -> dict[str, Entry]:
        """The entries of a section by name.

        In Unfurl's dialect entries of imported topology templates that substitute nothing come after the file's own,
        which win, but for outputs, groups and policies; an entry with the directive `default` loses.
        """
        found: dict[str, Entry] = {}
        for scope in [self.scope] if name in _OWN else self.scopes():
            raw = scope.template.get(name)
            what = name.replace("_", " ")
            for key, value, place in self.problems.entries(raw, f"the {what}", place_of(scope.template, name)):
                known = found.get(key)
                if known is None:
                    found[key] = Entry(value, place, scope)
                elif known.scope is scope:
                    self.problems.add(f"{what} has '{key}' twice", place)
                elif _is_default(known.raw) and not _is_default(value):
                    found[key] = Entry(value, place, scope)
        more = self.more.get(name, {})
        for key, value in more.items():
            found.setdefault(key, Entry(value, place_of(more, key), self.scope))
        if name == "node_templates":
            found |= {key: Entry(value, place_of(self.instead, key), self.scope) for key, value in self.instead.items()}
        return found

    def scopes(self) -> list[Scope]:
        """The files whose entries count: the topology's own, and in Unfurl's dialect those that it imports."""
        if not self.scope.is_unfurl:
            return [self.scope]
        found: list[Scope] = []
        waiting = [self.scope]
        while waiting:
            scope = waiting.pop(0)
            if scope in found or (scope is not self.scope and "substitution_mappings" in scope.template):
                continue
            found.append(scope)
            waiting += scope.imported
        return found

    def data_type(self, canonical: str) -> EntityType | None:
        """The data type of a canonical name."""
        return self.types.data_type(canonical)

    def static_value(self, value: Any) -> tuple[Any, bool]:
        """A raw value as far as it is known before anything runs, and whether it is known.

        Inputs are known: their given value or their default.
        """
        return static_value(self.topology, value)


def static_value(topology: Topology, value: Any) -> tuple[Any, bool]:
    """A raw value of a topology as far as it is known before anything runs; see `Building.static_value`."""
    if function_name(value) == "get_input" and isinstance(value, Mapping):
        name = value["get_input"]
        definition = topology.inputs.get(name) if isinstance(name, str) else None
        if isinstance(name, str) and name in topology.lost_inputs:
            return None, False
        if isinstance(name, str) and name in topology.input_values:
            value = topology.input_values[name]
        elif definition is not None and definition.has_default:
            value = definition.default
    return value, not is_computed(value)


def _is_default(raw: Any) -> bool:
    directives = raw.get("directives") if isinstance(raw, Mapping) else None
    return isinstance(directives, list) and "default" in directives
