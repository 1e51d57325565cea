"""Maps whose values are computed when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.views.data import MISSING


class ExternalValue(Mapping[str, Any]):
    """A value outside of the model that has parts, as a file: as plain data it is its name.

    Attributes:
        name: what names it, as its path.
    """

    __slots__ = ("_parts", "name")

    def __init__(self, name: str, parts: Mapping[str, Callable[[], Any]]) -> None:
        self.name = name
        self._parts = parts

    def __getitem__(self, part: str) -> Any:
        return self._parts[part]()

    def __contains__(self, part: object) -> bool:
        return part in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class LazyMap(Mapping[str, Any]):
    """A map whose values are computed each time they are read."""

    __slots__ = ("_compute", "_names")

    def __init__(self, names: Mapping[str, Any] | list[str], compute: Callable[[str], Any]) -> None:
        self._names = names
        self._compute = compute

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._compute(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Unfinished(LazyMap):
    """A map that is read while it is computed: another part of it may be had, all of it may not."""

    __slots__ = ()

    def __init__(
        self, written: Mapping[Any, Any], compute: Callable[[tuple[Any, ...], Any], Any], path: tuple[Any, ...] = ()
    ) -> None:
        super().__init__(written, lambda key: _part(written[key], compute, (*path, key)))


class UnfinishedList(list[Any]):
    """A list that is read while it is computed: another item of it may be had, all of it may not."""

    __slots__ = ("_compute",)

    def __init__(self, length: int, compute: Callable[[int], Any]) -> None:
        super().__init__([MISSING] * length)  # whatever passes by the methods below finds nothing
        self._compute = compute

    def __getitem__(self, index: Any) -> Any:
        numbers = range(len(self))[index]
        return self._compute(numbers) if isinstance(numbers, int) else [self._compute(number) for number in numbers]

    def __iter__(self) -> Iterator[Any]:
        return map(self._compute, range(len(self)))

    def __contains__(self, item: object) -> bool:
        return item in [*self]

    def __eq__(self, other: object) -> bool:
        return [*self] == other

    __hash__ = None

    def __add__(self, other: Any) -> Any:
        return [*self, *other]

    def __radd__(self, other: Any) -> Any:
        return [*other, *self]


def unfinished(
    written: Any, compute: Callable[[tuple[Any, ...], Any], Any], path: tuple[Any, ...] = ()
) -> Unfinished | UnfinishedList:
    """A map or list that is read while it is computed.

    Args:
        written: it as written, see `has_parts`.
        compute: gives the part at a path from what is written there.
        path: where it is itself in the value that is computed.
    """
    if isinstance(written, list):
        return UnfinishedList(len(written), lambda index: _part(written[index], compute, (*path, index)))
    return Unfinished(written, compute, path)


def _part(written: Any, compute: Callable[[tuple[Any, ...], Any], Any], path: tuple[Any, ...]) -> Any:
    return unfinished(written, compute, path) if has_parts(written) else compute(path, written)


def has_parts(written: Any) -> bool:
    """Whether a value as written is a map or list whose parts are evaluated each by itself."""
    return isinstance(written, dict | list) and not isinstance(written, Sensitive) and not is_computed(written)


def complete(value: Any) -> Any:
    """The value without unfinished maps and lists in it."""
    if isinstance(value, Unfinished):
        return {key: complete(item) for key, item in value.items()}
    if isinstance(value, UnfinishedList):
        return [complete(item) for item in value]
    if isinstance(value, list):
        items = [complete(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    made = {key: complete(item) for key, item in value.items()}
    if all(made[key] is item for key, item in value.items()):
        return value
    return mark_sensitive(made) if isinstance(value, Sensitive) else made
