"""Maps whose values are computed when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.language.functions import is_computed


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
        def part(key: Any) -> Any:
            inner, raw = (*path, key), written[key]
            return Unfinished(raw, compute, inner) if is_plain_map(raw) else compute(inner, raw)

        super().__init__(written, part)


def is_plain_map(written: Any) -> bool:
    """Whether a value as written is a map whose parts are evaluated each by itself."""
    return isinstance(written, dict) and not isinstance(written, Sensitive) and not is_computed(written)


def complete(value: Any) -> Any:
    """The value without unfinished maps in it.

    Raises:
        InvalidInput: it needs itself.
    """
    if isinstance(value, Unfinished):
        return {key: complete(item) for key, item in value.items()}
    if type(value) is list:
        items = [complete(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    made = {key: complete(item) for key, item in value.items()}
    if all(made[key] is item for key, item in value.items()):
        return value
    return mark_sensitive(made) if isinstance(value, Sensitive) else made
