"""Maps and lists that know where in a file they were written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.regex import regex


class Source:
    """The text of one file, and the line and column of a position in it.

    Attributes:
        file: the name of the file, as shown in errors.
        text: its text without a byte order mark; positions count its characters from 0.
    """

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts: list[int] | None = None

    def place(self, index: int) -> Place:
        """Return the place of the character at `index`."""
        starts = self._lines()
        line = bisect_right(starts, index)
        return Place(self.file, line, index - starts[line - 1] + 1)

    def index(self, place: Place) -> int:
        """Return the index of the character at a place, the end of the text where it has none."""
        starts = self._lines()
        return starts[place.line - 1] + place.column - 1 if 0 < place.line <= len(starts) else len(self.text)

    def _lines(self) -> list[int]:
        """Return where each line begins."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(self.text))]
        return self._starts


class Map(dict[Any, Any]):
    """A dict from a YAML file; `place_of` and `key_place_of` give the positions of its entries.

    It is an ordinary dict for every reader; a `Map` made without the reader knows no place. `start` is where it
    begins in the text of `source`, and `marks` holds, as the reader saw them, key, index of the key and index of the
    value of each entry; the first look-up turns that list into a table.
    """

    __slots__ = ("marks", "source", "start")

    source: Source | None
    start: int
    marks: list[Any] | dict[Any, tuple[Source, int, int]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.source = None
        self.start = 0
        self.marks = []

    def table(self) -> dict[Any, tuple[Source, int, int]]:
        """Return source, index of the key and index of the value by key."""
        marks = self.marks
        if isinstance(marks, list):
            source = self.source
            table: dict[Any, tuple[Source, int, int]] = {}
            if source is not None:
                for at in range(0, len(marks), 3):
                    table[marks[at]] = (source, marks[at + 1], marks[at + 2])
            self.marks = marks = table
        return marks

    def adopt(self, key: Any, value: Any, origin: Mapping[Any, Any], known_as: Any = None) -> None:
        """Set an entry of another map, where it may have another key, and keep its position there."""
        self[key] = value
        if isinstance(origin, Map):
            mark = origin.table().get(key if known_as is None else known_as)
            if mark is not None:
                self.table()[key] = mark

    def beginning(self) -> Place | None:
        """Return where the map begins, None if it is from no file."""
        return self.source.place(self.start) if self.source else None


def named_entries(section: Any) -> Iterator[Any]:
    """The entries of a section, each a map with one key; what is none is reported where it is read."""
    if isinstance(section, list):
        yield from section
        return
    for key, value in section.items():
        made = Map()
        made.adopt(key, value, section)
        yield made


class Seq(list[Any]):
    """A list from a YAML file; `place_of` gives the positions of its items.

    `start` is where it begins in the text of `source`, `marks` where each item begins.
    """

    __slots__ = ("marks", "source", "start")

    source: Source | None
    start: int
    marks: list[int]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.source = None
        self.start = 0
        self.marks = []

    def beginning(self) -> Place | None:
        """Return where the list begins, None if it is from no file."""
        return self.source.place(self.start) if self.source else None


def place_of(container: object, key: Any = None) -> Place | None:
    """Return the position of a value.

    Args:
        container: a map or list; one that is not from a file has no place.
        key: the key or index of an entry: the place of its value. None: the place of the container itself.

    Returns:
        The place; that of the container where the entry has none; None where neither has one.
    """
    if isinstance(container, Map):
        if key is not None:
            mark = container.table().get(key)
            if mark is not None:
                return mark[0].place(mark[2])
        return container.beginning()
    if isinstance(container, Seq):
        if isinstance(key, int) and container.source and 0 <= key < len(container.marks):
            return container.source.place(container.marks[key])
        return container.beginning()
    return None


def key_place_of(container: object, key: Any) -> Place | None:
    """Return the position of the key of an entry; for a list or an unknown key as `place_of`."""
    if isinstance(container, Map):
        mark = container.table().get(key)
        if mark is not None:
            return mark[0].place(mark[1])
    return place_of(container, key)


def changed(container: Any, change: Callable[[Any], Any]) -> Any:
    """Return a map or list with each value changed; itself where nothing is. Entries keep their places."""
    entries = container.items() if isinstance(container, dict) else enumerate(container)
    new = {key: change(value) for key, value in entries}
    if all(value is container[key] for key, value in new.items()):
        return container
    if isinstance(container, list):
        result = Seq(new.values())
        if isinstance(container, Seq):
            result.source, result.start, result.marks = container.source, container.start, container.marks
        return result
    table = Map()
    if isinstance(container, Map):
        table.source, table.start = container.source, container.start
    for key, value in new.items():
        table.adopt(key, value, container)
    return table


def joined(*maps: Mapping[Any, Any]) -> Map:
    """Return the entries of several maps, of which the later win; entries keep their places."""
    made = Map()
    for one in maps:
        for key, value in one.items():
            made.table().pop(key, None)
            made.adopt(key, value, one)
    return made


def split(container: Map, keys: Container[str]) -> tuple[Map, Map]:
    """Return two maps: the entries without these keys, and those with them; entries keep their places."""
    parts = Map(), Map()
    for part in parts:
        part.source, part.start = container.source, container.start
    for key, value in container.items():
        parts[key in keys].adopt(key, value, container)
    return parts


def united(first: Map, second: Map) -> Map:
    """Return a map with the entries of both; those of the first win, and entries keep their places."""
    result = Map()
    result.source, result.start = second.source, second.start
    for container in (second, first):
        for key, value in container.items():
            result.adopt(key, value, container)
    return result


def written(container: dict[Any, Any], key: Any) -> str:
    """Return a number of a map as it is written in the file: a version `1.10` is the float 1.1 in YAML.

    Of a string, and of what is from no file, it is `str(value)`.
    """
    value = container[key]
    if isinstance(value, (int, float)) and isinstance(container, Map):
        mark = container.table().get(key)
        match = _NUMBER.match(mark[0].text, mark[2]) if mark else None
        if match is not None:
            return match.group(1)
    return str(value)


_LINE_BREAK = regex("\r\n|\n|\r")
_NUMBER = regex(r"(?:[&!]\S*\s+)*([-+.0-9][-+.\w]*)")
