"""The `execution` section of an environment: how jobs run there unless their options say otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.yaml import place_of

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
    """The values of a section, by the names of `ExecutionSettings`; None has none.

    Raises:
        InvalidInput: it has another form, an unknown key, or a value of another kind.
    """
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise InvalidInput("execution must be a map", place, "its keys are " + ", ".join(_KEYS))
    values: dict[str, Any] = {}
    for key, value in section.items():
        where = place_of(section, key) or place
        if key not in _KEYS:
            raise InvalidInput(f"execution has no key {key!r}", where, "its keys are " + ", ".join(_KEYS))
        values[key] = _checked(key, value, where)
    return values


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
