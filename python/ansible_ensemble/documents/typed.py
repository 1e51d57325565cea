"""Structs as JSON documents: the fields declare what is written, and what is accepted when it is read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Self, Union, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.shape import Shape, misfit

#: `Annotated[type, ALWAYS]` is a field that is written even with its default value.
ALWAYS = "always"


class Typed(Struct, frozen=True):
    """Base of structs that are JSON documents. A key is the field's name in camelCase.

    A field without a default is written, and has to be there when read, unless it may be None. One with a default is
    left out where it has that value, unless it is `ALWAYS`. The annotation says what a value must be;
    `Annotated[type, shape]` says more (`documents.shape`). Keys without a field are passed over.
    """

    def to_json(self) -> dict[str, Any]:
        """The document."""
        values = ((field, getattr(self, field.name)) for field in _form(type(self)).fields)
        return {field.key: _plain(value) for field, value in values if field.always or value != field.default}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read it back."""
        form = _form(cls)
        problem = misfit(data, form.shape)
        if problem is not None:
            raise InvalidInput(problem)
        given = {field.name: field.read(data[field.key]) for field in form.fields if field.key in data}
        return cls(**{field.name: None for field in form.fields if field.required} | given)


class _Field(Struct, frozen=True):
    name: str
    key: str
    shape: Shape
    read: Callable[[Any], Any]
    required: bool
    always: bool
    default: Any

    @property
    def is_needed(self) -> bool:
        """Whether it has to be there when the document is read."""
        return self.required and misfit(None, self.shape) is not None


class _Form(Struct, frozen=True):
    fields: tuple[_Field, ...]
    shape: Shape


def _form(cls: type) -> _Form:
    return _declared(cls)


@cache
def _declared(cls: type) -> _Form:
    found = tuple(map(_field, fields(cls)))
    return _Form(found, {field.key + ("" if field.is_needed else "?"): field.shape for field in found})


def _field(field: FieldInfo) -> _Field:
    default = field.default if field.default_factory is NODEFAULT else field.default_factory()
    hint, always = field.type, field.required
    if get_origin(hint) is Annotated and ALWAYS in hint.__metadata__:
        hint, always = get_args(hint)[0], True
    return _Field(field.name, _key(field.name), _shape(hint), _reader(hint), field.required, always, default)


def _key(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(map(str.capitalize, others))


def _shape(hint: Any) -> Shape:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return arguments[1]
    if origin in (Union, UnionType):
        return tuple(None if one is NoneType else _shape(one) for one in arguments)
    if origin in (tuple, list):
        return [_shape(arguments[0])]
    if origin is not None:
        return dict if arguments[1] is Any else {"*": _shape(arguments[1])}
    return object if hint is Any else hint


def _reader(hint: Any) -> Callable[[Any], Any]:
    """Converts what has the hint's shape into the hinted type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _reader(arguments[0])
    if origin in (Union, UnionType):
        inner = _reader(next(one for one in arguments if one is not NoneType))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        item = _reader(arguments[0])
        return lambda value: tuple(map(item, value))
    return hint if isinstance(hint, type) and issubclass(hint, Enum) else lambda value: value


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
