"""The one reader of YAML: libyaml's parser, the core schema of YAML 1.2, places, and errors in plain words."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Protocol

import yaml
from msgspec import Struct, field
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamStartEvent,
)

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import SensitiveStr, mark_sensitive
from ansible_ensemble.documents.places import Map, Seq, Source, key_place_of, place_of, written
from ansible_ensemble.documents.scalars import VaultText, as_read
from ansible_ensemble.documents.syntax_errors import explain

#: A plain scalar that begins with two colons. YAML 1.2 allows it everywhere, and Unfurl writes `{eval: ::app::url}`;
#: libyaml refuses it inside of brackets.
_COLONS = regex(r"(?<![^\s\[{,])::(?=[^\s\[\]{},])")
#: Replaces the colons for libyaml, with the same length, so that positions stay the same.
_STAND_IN = "\ue000\ue001"


class Parser(Protocol):
    """Gives the events of a text, None at its end."""

    def get_event(self) -> Any:
        """The next event.

        Raises:
            yaml.YAMLError: the text is not valid YAML.
        """


def make_parser(text: str) -> Parser:
    """The parser of a text."""
    if "::" in text and _STAND_IN not in text:
        replaced, count = _COLONS.subn(_STAND_IN, text)
        if count:
            return _WithColons(replaced)
    return _libyaml(text)


def _libyaml(text: str) -> Parser:
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]
    except ImportError:
        return yaml.Loader(text)
    parser: Parser = CParser(text)
    return parser


class _WithColons:
    """Puts the colons back."""

    def __init__(self, text: str) -> None:
        self._get_event = _libyaml(text).get_event

    def get_event(self) -> Any:
        """The next event."""
        event = self._get_event()
        if isinstance(event, ScalarEvent) and _STAND_IN in event.value:
            event.value = event.value.replace(_STAND_IN, "::")
        return event


__all__ = [
    "Document",
    "Map",
    "MAX_DEPTH",
    "Seq",
    "VaultText",
    "key_place_of",
    "parse_events",
    "parse_yaml",
    "place_of",
    "read_yaml",
    "written",
]

MAX_DEPTH = 250
"""How deep maps and lists may be nested."""

MAX_ALIASED = 10_000_000
"""How many characters the text may grow by, if each alias stood for a copy of what it names."""


class Document(Struct, frozen=True):
    """A YAML file that was read.

    Attributes:
        path: the file.
        text: its text as it is on disk, with byte order mark and line ends.
        data: its content: `Map`, `Seq` and scalars.
        anchors: the values that have an anchor, by its name.
    """

    path: Path
    text: str
    data: Any
    anchors: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Where the document begins."""
        return Place(str(self.path), 1, 1)


def read_yaml(path: Path | str, shown: str | None = None, known: Document | None = None) -> Document:
    """Read a YAML file, which places show by its path or as `shown`.

    What was read before (`known`) is returned if it is of this file, and the file still has its text.
    """
    path = Path(path)
    shown = shown or str(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {shown}", hint="check the path") from None
    except IsADirectoryError:
        raise InvalidInput(f"{shown} is a folder", hint="name a YAML file in it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{shown!r} cannot be read: {reason}") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(shown, content.count(b"\n", 0, error.start) + 1)
        raise InvalidInput("the file is not UTF-8 text", place, "save it in UTF-8") from None
    if known is not None and (known.path, known.text) == (path, text):
        return known
    return parse_yaml(text, path, shown)


def parse_yaml(text: str, file: Path | str, shown: str | None = None) -> Document:
    """Read the text of a YAML file, which places show by its path or as `shown`."""
    source = Source(shown or str(file), text.removeprefix("\ufeff"))
    if "\0" in source.text:
        raise InvalidInput("the file has a NUL byte", source.place(source.text.index("\0")), "this is not a text file")
    collecting = gc.isenabled()
    # The collector finds nothing while data only grows, and looking costs as much as reading.
    gc.disable()
    try:
        reader = _Reader(source)
        data = reader.read()
    except yaml.YAMLError as error:
        raise explain(error, source) from None
    except UnicodeEncodeError as error:
        raise InvalidInput("a character is no Unicode character", source.place(error.start)) from None
    finally:
        if collecting:
            gc.enable()
    return Document(Path(file), text, data, {name: value for name, (value, _other) in reader.anchors.items()})


def parse_events(text: str) -> Iterator[Any]:
    """Return the parser's events of a text, to see where a value ends.

    Raises:
        yaml.YAMLError: the text is not valid YAML.
    """
    next_event = make_parser(text).get_event
    while (event := next_event()) is not None:
        yield event


class _Reader:
    """Builds the data of one document from the parser's events."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.aliased = 0

    def read(self) -> Any:
        """Return the data of the only document."""
        next_event = make_parser(self.source.text).get_event
        event: Any = next_event()
        while isinstance(event, (StreamStartEvent, DocumentStartEvent)):
            event = next_event()
        if not isinstance(event, (ScalarEvent, MappingStartEvent, SequenceStartEvent, AliasEvent)):
            raise InvalidInput("the file is empty", Place(self.source.file), "it must hold a YAML document")
        data = self.node(event, next_event)
        event = next_event()
        if isinstance(event, DocumentEndEvent):
            event = next_event()
        if isinstance(event, DocumentStartEvent):
            mark: Any = event.start_mark
            self.fail("a second document begins here", mark.index, "one file holds one document")
        return data

    def node(self, event: Any, next_event: Callable[[], Any]) -> Any:  # noqa: C901, PLR0912, PLR0915 - calls cost time
        """Return the value that begins with an event; a loop with its own stack, so depth costs no recursion."""
        source = self.source
        memo: dict[str, Any] = {}
        new_map, new_seq = Map.__new__, Seq.__new__
        root: list[Any] = []
        # What is being filled: a map (then `key` is the key that waits for its value, or no_key) or a list.
        no_key = memo
        container: Any = root
        marks: list[Any] = []
        key: Any = no_key
        in_map = False
        stack: list[tuple[Any, list[Any], Any, bool, Any]] = []

        while True:
            kind = type(event)
            index = event.start_mark.index
            if kind is ScalarEvent:
                text = event.value
                if event.tag is not None:
                    value = self.tagged(event, text)
                elif event.style:
                    value = text
                else:
                    value = memo.get(text, memo)
                    if value is memo:
                        value = memo[text] = self.plain(text, index)
                if event.anchor:
                    self.anchors[event.anchor] = (value, len(text))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if in_map and key is no_key:
                    self.fail_key(index)
                if len(stack) >= MAX_DEPTH:
                    self.fail(f"maps and lists are nested deeper than {MAX_DEPTH}", index)
                if event.anchor:
                    self.anchors[event.anchor] = (_OPEN, self.aliased)
                stack.append((container, marks, key, in_map, event))
                in_map = kind is MappingStartEvent
                container = new_map(Map) if in_map else new_seq(Seq)
                container.source = source
                container.start = index
                container.marks = marks = []
                key = no_key
                event = next_event()
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value = container
                container, marks, key, in_map, start = stack.pop()
                if _MERGE in value if kind is MappingEndEvent else False:
                    self.merge(value)
                if start.tag is not None:
                    value = self.tagged_collection(start, value)
                index = start.start_mark.index
                if start.anchor:
                    grown = self.aliased - self.anchors[start.anchor][1]
                    self.anchors[start.anchor] = (value, event.end_mark.index - index + grown)
            else:
                value = self.alias(event, index)

            if not in_map:
                container.append(value)
                marks.append(index)
                if container is root:
                    return value
            elif key is no_key:
                if kind is ScalarEvent and text == "<<" and not event.style and event.tag is None:
                    value = _MERGE
                try:
                    if value in container:
                        self.fail_twice(marks, value, index)
                except TypeError:
                    self.fail_key(index)
                key = value
                marks.append(key)
                marks.append(index)
            else:
                container[key] = value
                marks.append(index)
                key = no_key
            event = next_event()

    def plain(self, text: str, index: int) -> Any:
        """Return what a plain scalar means."""
        try:
            return as_read(text)
        except ValueError:
            self.fail("the number has too many digits", index, "quote it if it is a string")

    def tagged(self, event: Any, text: str) -> Any:
        """Return what a scalar with a tag means."""
        tag = event.tag
        if tag in ("!vault", "!vault-encrypted"):
            return VaultText(text)
        if tag == "!sensitive":
            return SensitiveStr(text)
        if tag in ("!", "!unsafe", f"{_YAML}str"):
            return text
        index = event.start_mark.index
        expected = _SCALAR_TAGS.get(tag)
        if expected is None:
            self.fail_tag(tag, index)
        value = self.plain(text, index)
        if expected is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            self.fail(f"{text!r} is not a {_shown(tag)} value", index)
        return value

    def tagged_collection(self, event: Any, value: Any) -> Any:
        """Return what a map or a list with a tag means."""
        tag = event.tag
        if tag == "!sensitive":
            return mark_sensitive(value)
        if tag not in ("!", "!unsafe", f"{_YAML}{'map' if isinstance(value, Map) else 'seq'}"):
            self.fail_tag(tag, event.start_mark.index)
        return value

    def alias(self, event: Any, index: int) -> Any:
        """Return the value an alias names; the same object, counted as if it were a copy."""
        name = event.anchor
        value, size = self.anchors.get(name, (None, -1))
        if size < 0:
            self.fail(f"no anchor &{name} is defined before *{name}", index, "quote a text that begins with *")
        if value is _OPEN:
            self.fail(f"*{name} is inside of what &{name} names", index, "a value cannot contain itself")
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            self.fail("the aliases make the document too large", index, "use fewer aliases of aliases")
        return value

    def merge(self, target: Map) -> None:
        """Put the entries of what `<<` names before the own ones, which win."""
        merged = target.pop(_MERGE)
        table = target.table()
        index = table.pop(_MERGE)[2]
        own = dict(target)
        target.clear()
        for origin in merged if isinstance(merged, list) else [merged]:
            if not isinstance(origin, dict):
                self.fail("<< must name a map or a list of maps", index, "as in <<: *anchor")
            for key, value in origin.items():
                if key in own or key in target:
                    continue
                target.adopt(key, value, origin)
        target.update(own)

    def fail(self, message: str, index: int, hint: str | None = None) -> NoReturn:
        """Raise the error with its place."""
        raise InvalidInput(message, self.source.place(index), hint)

    def fail_twice(self, marks: list[Any], key: Any, index: int) -> NoReturn:
        """Raise the error for a key that is given twice."""
        position = marks.index(key)
        earlier, first = marks[position], self.source.place(marks[position + 1])
        if isinstance(earlier, bool) is not isinstance(key, bool):
            both = " and ".join(str(one).lower() for one in (earlier, key))
            self.fail(
                f"the keys {both} are one and the same, first on line {first.line}", index, "quote one of the two"
            )
        name = "<<" if key is _MERGE else key
        self.fail(f"the key {str(name)!r} is given twice, first on line {first.line}", index, "remove one of the two")

    def fail_key(self, index: int) -> NoReturn:
        """Raise the error for a key that is a map or a list."""
        jinja = self.source.text.startswith("{{", index - 1)
        hint = 'quote Jinja: "{{ name }}"' if jinja else "quote it if it is a text"
        self.fail("a map or a list cannot be a key", index, hint)

    def fail_tag(self, tag: str, index: int) -> NoReturn:
        """Raise the error for an unknown tag."""
        self.fail(f"the tag {_shown(tag)} is not known here", index, "known are !vault, !sensitive and !unsafe")


class _Sentinel:
    __slots__ = ()


_MERGE = _Sentinel()
_OPEN = _Sentinel()
_YAML = "tag:yaml.org,2002:"
_SCALAR_TAGS: dict[str, type] = {
    f"{_YAML}int": int,
    f"{_YAML}float": float,
    f"{_YAML}bool": bool,
    f"{_YAML}null": type(None),
}


def _shown(tag: str) -> str:
    return tag.replace(_YAML, "!!", 1)
