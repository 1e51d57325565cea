"""A file of YAML or JSON as data, with the place of each value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import yaml
from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.provision.objects.codec import Undecodable, decode_json

_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **{word: True for base in ("true", "yes", "on") for word in (base, base.capitalize(), base.upper())},
    **{word: False for base in ("false", "no", "off") for word in (base, base.capitalize(), base.upper())},
}
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
_OF_BASE = re.compile(r"(?P<sign>[-+]?)0(?P<base>[xXoObB]?)(?P<digits>[0-9a-fA-F_]+)")
_BASES = {"": 8, "o": 8, "x": 16, "b": 2}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?")


def meaning(text: str) -> object:
    """Null, a truth value, a number, or the text itself; times are texts.

    `yes` and `off` are truth values and `0755` is octal, as in YAML 1.1, because content of the field is written so.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if match := _OF_BASE.fullmatch(text):
        return _of_base(match, text)
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _of_base(match: re.Match[str], text: str) -> object:
    try:
        return int(match["sign"] + match["digits"], _BASES[match["base"].lower()])
    except ValueError:
        return float(text) if _FLOAT.fullmatch(text) else text


#: Keys and indexes from the outside in.
Steps: TypeAlias = tuple[str | int, ...]

_DEPTH = 100
#: How many values a file may have, with what its aliases stand for.
_VALUES = 200_000
_SURROGATES = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_STRING = "tag:yaml.org,2002:str"
_PLAIN = "!plain"
#: No number is as large.
_LARGEST = 2**63


class Spot(Struct, frozen=True):
    """Where a value is.

    Attributes:
        value: its place.
        key: the place of its key; that of the value in a list.
        first: the line of the file that is the first one of a text; 0 if its lines are not the file's.
    """

    value: Place
    key: Place
    first: int = 0


class Document(Struct, frozen=True):
    """The data of a file.

    Attributes:
        value: maps, lists, texts, numbers.
        spots: where its values are, by their paths.
    """

    value: Any
    spots: Mapping[Steps, Spot]

    def spot(self, path: Steps) -> Spot:
        """Where a value is, or else what it would be in."""
        while path not in self.spots:
            path = path[:-1]
        return self.spots[path]


def parse(text: str, file: Path) -> Document:
    """The data of a file's text."""
    if file.suffix == ".json":
        _refuse_json(text, file)
        text = _SURROGATES.sub(_character, text)
    try:
        _refuse_deep(text, file)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _syntax_error(error, file, text) from None
    if node is None:
        raise InvalidInput("the file is empty", Place(str(file), 1, 1), "it must hold a map")
    reader = _Reader(file)
    value = reader.read(node, (), _place(file, node))
    return Document(value, reader.spots)


_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _Loader(_BASE):  # type: ignore[misc] # libyaml's, if it is there
    """Composes nodes, and tells plain scalars from others."""


_Loader.add_implicit_resolver(_PLAIN, re.compile(""), None)


class _Reader:
    """Makes data of nodes, and notes their places."""

    def __init__(self, file: Path) -> None:
        self.spots: dict[Steps, Spot] = {}
        self._file = file
        self._left = _VALUES

    def read(self, node: yaml.Node, path: Steps, key: Place) -> Any:
        """The value of a node; an alias is read as if it stood there itself."""
        self._left -= 1
        if self._left < 0:
            self._fail(node, f"the file has more than {_VALUES:,} values", "use fewer aliases of aliases")
        if len(path) > _DEPTH:
            self._fail(node, f"maps and lists are nested deeper than {_DEPTH}")
        literal = isinstance(node, yaml.ScalarNode) and node.style == "|"
        self.spots[path] = Spot(_place(self._file, node), key, node.start_mark.line + 2 if literal else 0)
        if isinstance(node, yaml.MappingNode):
            return self._map(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(one, (*path, index), _place(self._file, one)) for index, one in enumerate(node.value)]
        return self._scalar(node)

    def _map(self, node: yaml.MappingNode, path: Steps) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, value in node.value:
            name, place = self._key(key), _place(self._file, key)
            if name == "<<" and key.tag == _PLAIN:
                merged = {**self._merged(value, path), **merged}
                continue
            if name in result:
                first = self.spots[*path, name].key.line
                self._fail(key, f"the key {name} is given twice, first on line {first}", "remove one of the two")
            result[name] = self.read(value, (*path, name), place)
        return {**merged, **result}

    def _merged(self, node: yaml.Node, path: Steps) -> dict[str, Any]:
        """What `<<` brings: the entries of a map, or of several, the first of which win."""
        found: dict[str, Any] = {}
        for one in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(one, yaml.MappingNode):
                self._fail(one, "<< must name a map or a list of maps", "as in <<: *anchor")
            known = dict(self.spots)
            found = {**self._map(one, path), **found}
            self.spots |= known
        return found

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self._fail(node, "a map or a list cannot be a key", "quote it if it is a text")
        text: str = node.value
        return text

    def _scalar(self, node: yaml.Node) -> Any:
        tag = str(node.tag or "")
        if tag == _PLAIN:
            return self._plain(node)
        if tag not in ("!", _STRING):
            self._fail(node, f"the tag {tag.replace('tag:yaml.org,2002:', '!!')} is not known here", "remove it")
        return node.value

    def _plain(self, node: yaml.Node) -> Any:
        try:
            value = meaning(node.value)
        except ValueError:
            value = _LARGEST
        if isinstance(value, int | float) and abs(value) >= _LARGEST:
            self._fail(node, "the number is too large", "quote it if it is a text")
        return value

    def _fail(self, node: yaml.Node, message: str, hint: str | None = None) -> NoReturn:
        raise InvalidInput(message, _place(self._file, node), hint)


def _place(file: Path, part: yaml.Node | yaml.Event) -> Place:
    mark = part.start_mark
    return Place(str(file), mark.line + 1, mark.column + 1) if mark else Place(str(file))


def _refuse_deep(text: str, file: Path) -> None:
    """Refuse what is nested too deep, before libyaml follows it by recursion that nothing bounds."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEPTH:
            raise InvalidInput(f"maps and lists are nested deeper than {_DEPTH}", _place(file, event))


def _character(match: re.Match[str]) -> str:
    """A character that JSON writes as two halves, as YAML writes it."""
    pair = bytes.fromhex(match[1] + match[2]).decode("utf-16-be")
    return f"\\U{ord(pair):08x}"


def _refuse_json(text: str, file: Path) -> None:
    try:
        decode_json(text.encode())
    except Undecodable as error:
        at = re.search(r"byte (\d+)", str(error))
        before = text.encode()[: int(at[1])] if at else b""
        place = Place(str(file), before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1)
        raise InvalidInput(str(error), place, "the name of the file says that it is JSON") from None


def _syntax_error(error: yaml.YAMLError, file: Path, text: str) -> InvalidInput:
    if isinstance(error, yaml.reader.ReaderError):
        return InvalidInput("it has a control character", Place(str(file)), "this is not a text file")
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it is no YAML"
    place = Place(str(file), mark.line + 1, mark.column + 1) if mark else Place(str(file))
    return InvalidInput(f"it is no YAML: {problem}", place, _hint(problem, text, place))


def _hint(problem: str, text: str, place: Place) -> str:
    line = "".join(text.splitlines()[place.line - 1 : place.line])
    if "\t" in line[: max(place.column, 1)]:
        return "indent with spaces, not tabs"
    if "mapping values" in problem:
        return 'quote a text that holds ": "'
    if "{{" in line:
        return "quote a text that begins with {{"
    return "look at indentation, quotes and brackets before it"
