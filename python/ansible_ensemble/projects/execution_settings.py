"""The sections `execution` and `state` of an environment: how jobs run there, and where the state lives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.yaml import place_of
from ansible_ensemble.projects.sections import as_section

_COUNTS = ("jobs", "jobs_per_host")
_KEYS = (*_COUNTS, "fast_modules", "stock_modules")


class ExecutionSettings(Struct, frozen=True):
    """The settings; 0 means not set.

    Attributes:
        jobs: how many operations run side by side.
        jobs_per_host: how many of them on each host but the controller.
        fast_modules: whether local modules run in a warm process.
        stock_modules: names of modules that never do.
    """

    jobs: int = 0
    jobs_per_host: int = 0
    fast_modules: bool = True
    stock_modules: tuple[str, ...] = ()


def given_settings(section: object, place: Place | None = None) -> dict[str, Any]:
    """The values of a section, by the names of `ExecutionSettings`; None has none."""
    if section is None:
        return {}
    known = as_section(section, "execution", _KEYS, place)
    return {key: _checked(key, value, place_of(known, key) or place) for key, value in known.items()}


def _checked(key: str, value: Any, place: Place | None) -> Any:
    if key in _COUNTS and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise InvalidInput(f"{key} is {value!r}", place, "write a number of at least 1")
    if key == "fast_modules" and not isinstance(value, bool):
        raise InvalidInput(f"{key} is {value!r}", place, "write true or false")
    if key == "stock_modules":
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise InvalidInput(f"{key} is {value!r}", place, "write a list of modules' names")
        return tuple(value)
    return value


#: The kinds of locations, each with the keys that it takes beside its own.
KEYS: dict[str, tuple[str, ...]] = {
    "git": ("branch", "path", "username", "token", "ssh_key", "known_hosts", "lease"),
    "http": (
        "lock", "unlock", "update_method", "lock_method", "unlock_method", "username", "password", "token", "ca",
    ),
    "s3": ("key", "endpoint", "region", "profile", "access_key", "secret_key", "session_token", "ca", "lease"),
    "path": ("lease",),
}  # fmt: skip

#: The keys that may also be given as environment variables, see `given_credentials`.
CREDENTIALS = (
    "username", "password", "token", "ssh_key", "known_hosts", "access_key", "secret_key", "session_token"
)  # fmt: skip
#: What the names of these variables begin with; credentials of AWX may set none that begins with `ANSIBLE_`.
_VARIABLES = ("ANSIBLE_ENSEMBLE_STATE_", "ENSEMBLE_STATE_")

#: Seconds that the lock of a state lasts unless its holder renews it, and the most that may be asked for.
LEASE = 30
_LONGEST_LEASE = 3600


class StateSettings(Struct, frozen=True):
    """Where state lives.

    Attributes:
        kind: one of `KEYS`.
        values: the section's values by key, as they are written.
        place: of the section.
    """

    kind: str
    values: Mapping[str, Any]
    place: Place | None = None


def state_settings(section: object, place: Place | None = None) -> StateSettings | None:
    """Read a `state` section; None, where there is none, means the ensemble's own folder."""
    if section is None:
        return None
    if not isinstance(section, Mapping):
        raise InvalidInput("state must be a map", place, f"it has one of {', '.join(KEYS)}")
    kind = next((name for name in KEYS if name in section), None)
    if kind is None:
        raise InvalidInput("state names no location", place, f"it has one of {', '.join(KEYS)}")
    for key, value in as_section(section, f"state in {kind}", (kind, *KEYS[kind]), place).items():
        _check(kind, key, value, place_of(section, key) or place)
    return StateSettings(kind, dict(section), place)


def given_credentials(environ: Mapping[str, str]) -> dict[str, str]:
    """The credentials of a location that environment variables give, by key."""
    found = {key: [environ.get(prefix + key.upper()) for prefix in _VARIABLES] for key in CREDENTIALS}
    return {key: next(filter(None, values)) for key, values in found.items() if any(values)}


def _check(kind: str, key: str, value: object, place: Place | None) -> None:
    if kind == "http" and key == "lock" and value is False:
        return
    if key in CREDENTIALS and isinstance(value, (str, Mapping)):
        return  # an expression may give it
    if key == "lease":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1 <= value <= _LONGEST_LEASE:
            raise InvalidInput(f"lease of state must be a number of seconds, 1 to {_LONGEST_LEASE}", place)
        return
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{key} of state must be a text", place)
