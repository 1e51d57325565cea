"""Settings of the server that are kept with its objects."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.rules.in_use import PREFERRED
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.store.transaction import Reader, Transaction

DEFAULTS: Mapping[str, str] = MappingProxyType(
    {"defaultStage": "none", "defaultBootEnv": "local", "unknownBootEnv": "ignore", "defaultWorkflow": ""}
)

#: Settings of other servers: clients set them, and here they do nothing.
_KEPT = frozenset(
    {
        "debugBootEnv",
        "debugDhcp",
        "debugFrontend",
        "debugPlugins",
        "debugRenderer",
        "knownTokenTimeout",
        "logLevel",
        "unknownTokenTimeout",
    }
)


def preferences(reader: Reader) -> dict[str, str]:
    """All settings; those that nobody set have their defaults."""
    return {**DEFAULTS, **reader.preferences()}


def set_preferences(tx: Transaction, body: bytes) -> dict[str, str]:
    """Change the settings that the body names.

    Returns:
        All settings.

    Raises:
        Refused: 400, the body is no map of texts; 422, there is no such setting, or nothing of the name it is set to.
    """
    wanted = parsed_body(dict[str, str], body, "POST", "prefs")
    if problems := [problem for name, value in wanted.items() if (problem := _problem(tx, name, value))]:
        raise invalid(*problems, model="prefs", key="")
    for name, value in wanted.items():
        tx.set_preference(name, value)
    return preferences(tx)


def _problem(reader: Reader, name: str, value: str) -> str | None:
    """Why a setting cannot have a value."""
    if name in _KEPT:
        return None
    if name not in DEFAULTS:
        return f"Unknown preference {name}"
    if value == "" == DEFAULTS[name]:
        return None
    kind = KINDS[PREFERRED[name]]
    found = reader.get(kind, value)
    if found is None:
        return f"{kind.__name__} {value} does not exist"
    if not found.available:
        return f"{kind.__name__} {value} is not available"
    return None
