"""The query of a list: filters, order, a part of it, and what is left out of its objects.

`Field=value` and `Field=Op(value)`; filters of several fields hold together, of those of one field any holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.rules.fields import Field, field_of
from ansible_ensemble.provision.rules.pattern import InvalidPattern, compiled_for_many
from ansible_ensemble.provision.rules.refusal import Refused

Kept = TypeVar("Kept", bound=Object)
Part = TypeVar("Part")

#: A test of a value of a field, as `Field.value` gives it.
Test = Callable[[Any], bool]

_OPERATION = re.compile(r"(Eq|Ne|Lt|Lte|Gt|Gte|Re|In|Nin|Between|Except)\((.*)\)", re.DOTALL)

#: Decodes params without looking at their values.
PARAMS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_EMPTY, _NO_TEXT, _TRUE = msgspec.Raw(b"{}"), msgspec.Raw(b'""'), msgspec.Raw(b"true")

#: Words of a query that are no filters, and belong to the request as a whole.
_NO_FILTERS = frozenset({"token", "force", "aggregate", "compose"})


@cache
def unread(kind: type[Object]) -> msgspec.json.Decoder[Any]:
    """Decodes objects of a kind without looking at the values of their fields."""
    new = kind()  # objects that were stored before a field was known have what new ones have
    fields = [
        (
            one.name,
            msgspec.Raw,
            msgspec.field(name=one.encode_name, default=msgspec.Raw(encode(getattr(new, one.name)))),
        )
        for one in msgspec.structs.fields(kind)
    ]
    return msgspec.json.Decoder(msgspec.defstruct(f"Unread{kind.__name__}", fields))


class Filter(Struct, frozen=True):
    """What the value of a field has to be.

    Attributes:
        field: whose value.
        tests: of which one has to hold, of the field as it is beside it.
        exact: the value, where it has to be one.
    """

    field: Field
    tests: tuple[tuple[Field, Test], ...]
    exact: str | None

    def admits(self, candidate: Object) -> bool:
        """Whether an object has such a value."""
        return any(test(field.value(candidate)) for field, test in self.tests)


class Shape(Struct, frozen=True):
    """What is shown of an object.

    Attributes:
        slim: the fields that are left out: `Params`, `Meta`.
        params: the params that are shown; None for all.
        decode: whether sealed params are opened.
        proofs: whether what proves who somebody is is shown as well.
    """

    slim: frozenset[str] = frozenset()
    params: frozenset[str] | None = None
    decode: bool = False
    proofs: bool = True

    def shown(self, whole: Kept) -> Kept:
        """The object without what is left out."""
        names = whole.__struct_fields__
        changes: dict[str, Any] = {name.lower(): {} for name in self.slim if name.lower() in names}
        changes |= dict.fromkeys(self._hidden(type(whole)), "")
        if self.params is not None and "params" in names and "params" not in changes:
            held: dict[str, Any] = whole.params  # type: ignore[attr-defined] # it has some
            changes["params"] = {name: value for name, value in held.items() if name in self.params}
        if "partial" in names and "params" in changes:
            changes["partial"] = True
        return whole.replaced(**changes) if changes else whole

    def shaper(self, kind: type[Object]) -> Callable[[bytes], bytes]:
        """Takes what is left out from the JSON of objects of a kind; in long lists, nothing else of it is looked at."""
        hidden = self._hidden(kind)
        if not self.slim and self.params is None and not hidden:
            return lambda body: body
        names, decode = kind.__struct_fields__, unread(kind).decode
        fixed = {name.lower(): _EMPTY for name in self.slim if name.lower() in names} | dict.fromkeys(hidden, _NO_TEXT)
        chosen = self.params if "params" in names and "params" not in fixed else None
        if "partial" in names and (chosen is not None or "params" in fixed):
            fixed["partial"] = _TRUE

        def shaped(body: bytes) -> bytes:
            fields = decode(body)
            for name, value in fixed.items():
                setattr(fields, name, value)
            if chosen is not None:
                held = PARAMS.decode(fields.params)
                kept = {name: value for name, value in held.items() if name in chosen}
                fields.params = msgspec.Raw(encode(kept)) if kept else _EMPTY
            return encode(fields)

        return shaped

    def _hidden(self, kind: type[Object]) -> list[str]:
        """The attributes that are shown empty."""
        if self.proofs or not kind.PROOFS:
            return []
        return [one.name for one in msgspec.structs.fields(kind) if one.encode_name in kind.PROOFS]


class Query(Struct, frozen=True):
    """What a list is to consist of.

    Attributes:
        filters: what holds of all its objects.
        order: the fields that it is in the order of, the first first; without any, that of the keys.
        reverse: whether the order is the other way round.
        offset: how many of those that were found are passed over.
        limit: how many there are at most; None for all.
        shape: what is shown of each.
    """

    filters: tuple[Filter, ...] = ()
    order: tuple[Field, ...] = ()
    reverse: bool = False
    offset: int = 0
    limit: int | None = None
    shape: Shape = Shape()

    @property
    def is_of_all(self) -> bool:
        """Whether the list is of all objects, in the order of their keys."""
        return not (self.filters or self.order or self.reverse)

    def exact(self, name: str) -> str | None:
        """The value that a field has to have, where it is one: then an index finds the objects."""
        return next((one.exact for one in self.filters if one.field.name == name), None)

    def found(self, candidates: Iterable[Kept]) -> list[Kept]:
        """The objects that are meant, in order; candidates are in the order of their keys."""
        found = [one for one in candidates if all(known.admits(one) for known in self.filters)]
        for field in reversed(self.order):
            found.sort(key=lambda one, field=field: _sortable(field.value(one)))  # type: ignore[misc] # mypy's lambdas
        if self.reverse:
            found.reverse()
        return found

    def page(self, found: Sequence[Part]) -> Sequence[Part]:
        """The part of what was found that is asked for."""
        end = None if self.limit is None else self.offset + self.limit
        return found[self.offset : end]


def parse_query(kind: type[Object], words: Iterable[tuple[str, str]]) -> Query:
    """The query of a list of a kind.

    Args:
        kind: what is listed.
        words: names and values, as they were given; a name may come several times.

    Raises:
        Refused: 406, a name is none of a field, or a value is none of its field.
    """
    given: dict[str, list[str]] = {}
    for name, value in words:
        given.setdefault(name, []).append(value)
    try:
        query = Query(shape=parse_shape(given))
        for name, values in given.items():
            query = _extended(query, kind, name, values)
    except Refused as refused:
        raise Refused(406, *refused.error.messages, type="GET", model=kind.PREFIX) from None
    return query


def parse_shape(given: dict[str, list[str]]) -> Shape:
    """What a query asks to see of an object.

    Raises:
        Refused: 406, a value is not understood.
    """
    named = {name.capitalize(): name for name in _commas(given.get("slim", []))}
    slim = frozenset(named)
    if unknown := sorted(slim - {"Params", "Meta"}):
        raise Refused(406, f"slim knows Params and Meta: {named[unknown[0]]}")
    params = frozenset(_commas(given["params"])) if given.get("params") else None
    return Shape(slim, params or None, _truth("decode", given.get("decode", ["false"])[-1]))


def _extended(query: Query, kind: type[Object], name: str, values: list[str]) -> Query:
    match name:
        case "sort":
            return replace(query, order=tuple(field_of(kind, field) for field in _commas(values)))
        case "reverse":
            return replace(query, reverse=_truth("reverse", values[-1]))
        case "limit":
            return replace(query, limit=_count("Limit", values[-1]))
        case "offset":
            return replace(query, offset=_count("Offset", values[-1]))
        case "slim" | "params" | "decode":
            return query
    if name in _NO_FILTERS:
        return query
    return replace(query, filters=(*query.filters, _filter(field_of(kind, name), values)))


def _filter(field: Field, values: Sequence[str]) -> Filter:
    operations = [_operation(value) for value in values]
    exact = None
    if len(operations) == 1 and operations[0][0] == "Eq" and field.sort in ("text", "uuid"):
        exact = str(field.given(operations[0][1]))
    return Filter(field, tuple(_test(field, *operation) for operation in operations), exact)


def _test(field: Field, operator: str, text: str) -> tuple[Field, Test]:
    if operator == "Re":
        written = field if field.sort in ("names", "value") else replace(field, sort="text")
        return written, _matches(text)
    return field, _of_value(field, operator, text)


def _operation(value: str) -> tuple[str, str]:
    parsed = _OPERATION.fullmatch(value)
    return (parsed[1], parsed[2]) if parsed else ("Eq", value)


def _of_value(field: Field, operator: str, text: str) -> Test:
    if field.sort == "names":
        return _test_of_names(field, operator, field.given(text))
    if operator in ("In", "Nin"):
        members = [field.given(part) for part in text.split(",")]
        return lambda value: (value in members) == (operator == "In")
    if operator in ("Between", "Except"):
        return _range(field, operator, text)
    return _comparison(operator, field.given(text))


def _comparison(operator: str, given: Any) -> Test:
    match operator:
        case "Eq":
            return lambda value: value == given
        case "Ne":
            return lambda value: value != given
        case "Lt":
            return lambda value: value is not None and value < given
        case "Lte":
            return lambda value: value is not None and value <= given
        case "Gt":
            return lambda value: value is not None and value > given
    return lambda value: value is not None and value >= given


def _range(field: Field, operator: str, text: str) -> Test:
    low, comma, high = text.partition(",")
    if not comma:
        raise Refused(406, f"{operator} needs two values: {text}")
    lowest, highest = field.given(low.strip()), field.given(high.strip())
    return lambda value: value is not None and (lowest <= value <= highest) == (operator == "Between")


def _test_of_names(field: Field, operator: str, names: frozenset[str]) -> Test:
    match operator:
        case "Eq":
            return lambda value: names <= value
        case "Ne":
            return lambda value: not names <= value
        case "In":
            return lambda value: bool(names & value)
        case "Nin":
            return lambda value: not names & value
    raise Refused(406, f"{field.name} is a list: it has no order for {operator}")


def _matches(text: str) -> Test:
    try:
        pattern = compiled_for_many(text)
    except InvalidPattern as error:
        raise Refused(406, str(error)) from None
    return lambda value: any(pattern.is_in(part) for part in _texts(value))


def _texts(value: Any) -> Iterable[str]:
    """What an expression is looked for in: of a list each name, of a param its text or its JSON."""
    if value is None:
        return ()
    if isinstance(value, frozenset):
        return value
    if isinstance(value, tuple):
        value = value[-1]
    return (str(value).lower() if isinstance(value, bool) else str(value),)


def _sortable(value: Any) -> tuple[bool, Any]:
    """What is not there comes first."""
    if isinstance(value, frozenset):
        return True, sorted(value)
    return value is not None, value if value is not None else 0


def _commas(values: Iterable[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _truth(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise Refused(406, f"{name} must be true or false")
    return text == "true"


def _count(name: str, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise Refused(406, f"{name} must be a number: {text}") from None
    if number < 0:
        raise Refused(406, f"{name} cannot be negative")
    return number
