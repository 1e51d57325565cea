"""What an object is waited for: its rollout, a condition, a field; and whether that has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex

#: The condition that makes an object of a kind ready, where it is one.
_CONDITIONS = {"CustomResourceDefinition": "Established", "APIService": "Available", "Pod": "Ready", "Job": "Complete"}
#: The phase that makes it ready.
_PHASES = {"Namespace": "Active", "PersistentVolumeClaim": "Bound", "PersistentVolume": "Available"}
#: Kinds that are rolled out -> the fields of the status that have to be as many as there are to be.
_ROLLED_OUT = {
    "Deployment": ("replicas", "updatedReplicas", "availableReplicas"),
    "StatefulSet": ("replicas", "updatedReplicas", "readyReplicas"),
    "DaemonSet": ("updatedNumberScheduled", "numberAvailable"),
    "ReplicaSet": ("replicas", "readyReplicas"),
}
_PART = regex(r"""\.?([\w-]+)|\[(\d+)\]|\[['"]([^'"]+)['"]\]""")
_KEYS = ({"condition", "status"}, {"field", "value"}, {"jsonpath", "value"})
_HINT = "true, rollout, a condition (Available), {condition:, status:}, or {field: .status.phase, value:}"


class Wait(Struct, frozen=True):
    """What is waited for.

    Attributes:
        kind: `ready` (what that is follows from the object's kind), `rollout`, `condition` or `field`.
        what: the condition's name.
        path: of the field.
        value: of the condition's status, or of the field; none is any.
    """

    kind: str
    what: str = ""
    path: tuple[str | int, ...] = ()
    value: str | None = None


class NeverReady(EnsembleError):
    """What is waited for can no longer come."""


def as_wait(written: Any) -> Wait | None:
    """What is waited for, as users write it; none if nothing is."""
    if written is None or written is False:
        return None
    if written is True or written == "ready":
        return Wait("ready")
    if written == "rollout":
        return Wait("rollout")
    if isinstance(written, str) and written.isidentifier():
        return Wait("condition", written, value="True")
    if isinstance(written, Mapping) and any(keys >= set(written) and min(keys) in written for keys in _KEYS[:1]):
        return Wait("condition", str(written["condition"]), value=str(written.get("status", "True")))
    if isinstance(written, Mapping) and any(keys >= set(written) and len(written) for keys in _KEYS[1:]):
        path = written.get("field") or written.get("jsonpath")
        if path:
            return Wait("field", str(path), _path(str(path)), _as_text(written.get("value")))
    raise EnsembleError(f"wait cannot be {written!r}", hint=f"it is {_HINT}")


def _path(written: str) -> tuple[str | int, ...]:
    text = written.removeprefix("{").removesuffix("}").removeprefix("$")
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            raise EnsembleError(f"{written} is no path of a field", hint="as .status.conditions[0].type")
        parts.append(int(found[2]) if found[2] else found[1] or found[3])
        at = found.end()
    return tuple(parts)


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def unmet(wait: Wait, live: Mapping[str, Any]) -> str | None:
    """What an object lacks of what is waited for; none if nothing.

    Raises:
        NeverReady: it will never have it.
    """
    kind = str(live.get("kind"))
    if wait.kind == "rollout" or (wait.kind == "ready" and kind in _ROLLED_OUT):
        return _rollout(live)
    if wait.kind == "field":
        found = _as_text(_at(live, wait.path))
        is_met = found is not None if wait.value is None else found == wait.value
        return None if is_met else f"its {wait.what} is {found or 'not there'}"
    if wait.kind == "condition":
        return _condition(live, wait.what, wait.value or "True")
    if kind in _PHASES:
        phase = (live.get("status") or {}).get("phase")
        return None if phase == _PHASES[kind] else f"its phase is {phase or 'not there'}"
    if kind == "Job" and _condition(live, "Failed", "True") is None:
        raise NeverReady(f"it failed: {_message(live, 'Failed')}")
    known = {str(one.get("type")) for one in _conditions(live)}
    name = _CONDITIONS.get(kind) or ("Ready" if "Ready" in known else None)
    return _condition(live, name, "True") if name else None


def _rollout(live: Mapping[str, Any]) -> str | None:
    """As `kubectl rollout status`: all replicas are of the present template, and available."""
    kind, status = str(live.get("kind")), live.get("status") or {}
    if kind not in _ROLLED_OUT:
        raise NeverReady(f"a {kind} has no rollout")
    if status.get("observedGeneration", 0) < live["metadata"].get("generation", 0):
        return "it has not been seen by its controller yet"
    for one in _conditions(live):
        if one.get("type") == "Progressing" and one.get("reason") == "ProgressDeadlineExceeded":
            raise NeverReady(f"its rollout does not go on: {one.get('message')}")
    daemon = kind == "DaemonSet"
    wanted = status.get("desiredNumberScheduled", 0) if daemon else (live.get("spec") or {}).get("replicas", 1)
    counts = {name: int(status.get(name, 0)) for name in _ROLLED_OUT[kind]}
    if all(count == wanted for count in counts.values()):
        return None
    return f"of {wanted} replicas, {', '.join(f'{name} are {count}' for name, count in counts.items())}"


def _condition(live: Mapping[str, Any], name: str, status: str) -> str | None:
    found = next((one for one in _conditions(live) if str(one.get("type")).lower() == name.lower()), None)
    if found is None:
        return f"it has no condition {name}"
    if str(found.get("status")).lower() == status.lower():
        return None
    said = found.get("message") or found.get("reason")
    return f"its condition {name} is {found.get('status')}" + (f": {said}" if said else "")


def _message(live: Mapping[str, Any], name: str) -> str:
    found = next(one for one in _conditions(live) if one.get("type") == name)
    return str(found.get("message") or found.get("reason") or "no reason")


def _conditions(live: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = (live.get("status") or {}).get("conditions")
    return found if isinstance(found, list) else []


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        if isinstance(part, int):
            value = value[part] if isinstance(value, list) and part < len(value) else None
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value
