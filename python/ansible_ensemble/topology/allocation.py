"""What requirements allocate of the properties of capabilities, of which there is a limited amount [TOSCA 2.0]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.language.definitions import Assignment
from ansible_ensemble.language.entities import Capability, NodeTemplate
from ansible_ensemble.language.values import comparable


class Allocations(Struct):
    """How much of each property is allocated so far, by node template, capability and property."""

    taken: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def lacking(self, node: NodeTemplate, capability: Capability, wanted: Mapping[str, Any]) -> str | None:
        """The property of a capability of which less is left than is wanted, None if there is enough of all."""
        for name, amount, most in _amounts(capability, wanted):
            if self.taken[node.name, capability.name, name] + amount > most:
                return name
        return None

    def take(self, node: NodeTemplate, capability: Capability, wanted: Mapping[str, Any]) -> None:
        """Note what a relationship allocates."""
        for name, amount, _most in _amounts(capability, wanted):
            self.taken[node.name, capability.name, name] += amount


def _amounts(capability: Capability, wanted: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Of each property whose values are quantities, how much is wanted, and how much the capability has."""
    for name, raw in wanted.items():
        offered = capability.properties.get(name)
        amount, most = _quantity(raw, offered), _quantity(offered.value if offered is not None else None, offered)
        if amount is not None and most is not None:
            yield name, amount, most


def _quantity(value: Any, offered: Assignment | None) -> Any:
    """The number that a written value is, None if it is none, or not known while files are read."""
    if offered is None or offered.definition is None:
        return None
    number = comparable(value, offered.definition.schema.type)
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None
