"""Which instance of a node template a requirement leads to: `[web, $node_index]` [TOSCA 2.0, 8.5.3, 14.3]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.language.entities import NodeTemplate, TargetNumber
from ansible_ensemble.topology.building import Building


def numbered(
    target: list[Any], source: NodeTemplate, what: str, place: Place | None, building: Building
) -> tuple[str | None, TargetNumber | None]:
    """The node template and the number that `[node template, number]` means; None, and an error, if it is wrong."""
    name, raw = target if len(target) == 2 else (None, None)
    found = building.nodes.get(name) if isinstance(name, str) else None
    number = _target_number(raw, building)
    if found is None or number is None:
        message = f"{what} names no node template and no number of an instance of it"
        building.problems.add(message, place, "for instance [web, $node_index], or [web, 0]")
        return None, None
    most = max(map(number.of, range(source.count)), default=0)
    if most >= found.count:
        message = f"{what} leads to the instance {most} of '{name}', which has {found.count}, from 0"
        building.problems.add(message, place)
        return None, None
    return str(name), number


def _target_number(raw: Any, building: Building) -> TargetNumber | None:
    """A number, that of the source (`$node_index`), or the remainder of one of these by another number."""
    call = raw.get("eval") if isinstance(raw, Mapping) else None
    if isinstance(call, Mapping):
        if "$node_index" in call:
            return TargetNumber() if call["$node_index"] in ([], ["SELF"], "SELF") else None
        operands = call.get("mod")
        if not isinstance(operands, list) or len(operands) != 2:
            return None
        first = operands[0]
        is_inner = isinstance(first, Mapping) and "eval" not in first and "get_input" not in first
        inner = _target_number({"eval": first} if is_inner else first, building)
        cycle = _number(operands[1], building)
        return TargetNumber(inner.number, cycle) if inner is not None and cycle else None
    number = _number(raw, building)
    return TargetNumber(number) if number is not None else None


def _number(raw: Any, building: Building) -> int | None:
    value, _known = building.static_value(raw)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
