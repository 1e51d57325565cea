"""Plain data: what an evaluation gives to the rest of the product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive, redact

#: How long an expression is in errors.
_SHOWN = 160


class Missing:
    """The mark of a value that is not there, as opposed to one that is null."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()


@runtime_checkable
class Named(Protocol):
    """Something of the model, or outside of it; as plain data it is its name."""

    @property
    def name(self) -> str:
        """Its name."""


class Printed(str):
    """Text that looks like other data, and is it: as plain data, and where no type asks for text.

    Attributes:
        meant: the data.
    """

    meant: Any


def plain(value: Any) -> Any:
    """The value as maps, lists, strings, numbers, booleans and null; the marks of sensitive parts stay.

    What belongs to the model (an instance, a relationship) becomes its name, and every map and list is a new one.
    """
    kind = type(value)
    if value is None or kind in _SCALARS:
        return value
    if kind is not dict and isinstance(value, Named):
        return plain(value.name)
    if isinstance(value, Mapping):
        result: Any = {plain(key): plain(item) for key, item in value.items()}
    elif isinstance(value, (list, tuple, set, frozenset)):
        result = [plain(item) for item in value]
    elif isinstance(value, Sensitive):
        return value
    elif isinstance(value, Printed):
        return plain(value.meant)
    elif isinstance(value, (str, int, float)):
        result = _unadorned(value)
    else:
        return str(value)
    return mark_sensitive(result) if isinstance(value, Sensitive) else result


def _unadorned(value: str | int | float) -> str | int | float:
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, int) else float(value)


_SCALARS = frozenset({str, int, float, bool})


def bare(value: Any) -> Any:
    """Plain data without any mark."""
    value = plain(value)
    if isinstance(value, dict):
        return {bare(key): bare(item) for key, item in value.items()}
    if isinstance(value, list):
        return [bare(item) for item in value]
    return _unadorned(value) if isinstance(value, Sensitive) and isinstance(value, (str, int, float)) else value


def secrets_of(value: Any) -> Iterator[Any]:
    """The marked parts of a value, outermost ones only."""
    if isinstance(value, Sensitive):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from secrets_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from secrets_of(item)


def child(container: Any, value: Any) -> Any:
    """A part taken out of a container: sensitive if the container is."""
    return mark_sensitive(value) if isinstance(container, Sensitive) else value


def shown(expression: Any) -> str:
    """An expression as errors show it: on one line, without secrets."""
    value = redact(plain(expression))
    text = " ".join((value if isinstance(value, str) else _flow(value)).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _flow(value: Any) -> str:
    """Plain data in YAML's flow style, for one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) or '""'
