"""Fields of objects as users give them: `Field=value`, files, and options for params and profiles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, get_origin

from ansible_ensemble.cli.values import value_of
from ansible_ensemble.core.errors import InvalidInput, Place, UsageError
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.sensitive import reveal

if TYPE_CHECKING:
    from ansible_ensemble.provision.objects.base import Object

Fields = dict[str, Any]


def assigned(word: str) -> tuple[str, str]:
    """The name and the text of `NAME=TEXT`."""
    name, equals, text = word.partition("=")
    if not name or not equals:
        raise UsageError(f'"{word}" sets nothing', hint="write NAME=VALUE")
    return name, text


def field_named(kind: type[Object], name: str) -> str:
    """The field of a kind as the wire spells it, for a name in any case."""
    known = _types(kind)
    if (found := spelled(kind, name)) in known:
        return found
    hint = nearest(name, list(known)) or f"the fields are {', '.join(sorted(known))}"
    raise InvalidInput(f"{kind.PREFIX} have no field {name}", hint=hint)


def spelled(kind: type[Object], name: str) -> str:
    """A field as the wire spells it, for a name in any case; another name, as that of a param, as it is."""
    return {one.casefold(): one for one in _types(kind)}.get(name.casefold(), name)


def is_flag(kind: type[Object], name: str) -> bool:
    """Whether a field, as the wire spells it, is true or false."""
    return _types(kind)[name] is bool


def fields_of_words(kind: type[Object], words: Sequence[str]) -> Fields:
    """Fields by words: `Description=text`, `Profiles=a,b`, `Meta.rack=7`."""
    fields: Fields = {}
    for word in words:
        path, text = assigned(word)
        name, dot, inner = path.partition(".")
        name = field_named(kind, name)
        if name in kind.COMPUTED:
            raise InvalidInput(f"{name} is the server's to say")
        wanted = _types(kind)[name]
        if not dot:
            fields[name] = _typed(wanted, text, word)
        elif wanted in (str, bool, int) or get_origin(wanted) is list:
            raise InvalidInput(f"{name} has no parts", hint=f"write {name}=VALUE")
        else:
            texts = name == "Meta" or wanted is dict[str, str]
            fields.setdefault(name, {})[inner] = text if texts else _value(text, word)
    return fields


def params_of(words: Sequence[str]) -> Fields:
    """Values of params by words: `name=value`, each read as YAML."""
    return {name: _value(text, name) for name, text in map(assigned, words)}


def fields_of_file(kind: type[Object], path: str, stdin: TextIO) -> list[Fields]:
    """The objects of a file of YAML or JSON: one, or a list; `-` is standard input.

    What the server computes is left out: what `show` prints can be given again.
    """
    data, shown = _data_of(path, stdin)
    objects = data if isinstance(data, list) else [data]
    if not objects or not all(isinstance(one, dict) for one in objects):
        raise InvalidInput("it holds no object, and no list of objects", Place(shown), "write `Name: value` lines")
    return [dict(_known(kind, one, shown)) for one in objects]


def map_of_file(path: str, stdin: TextIO) -> Fields:
    """The map of a file of YAML or JSON; `-` is standard input."""
    data, shown = _data_of(path, stdin)
    if not isinstance(data, dict):
        raise InvalidInput("it holds no map of names and values", Place(shown), "write `name: value` lines")
    return data


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> Fields:
    """The fields of an object with others in their place; maps are merged, at their first level."""
    return {**old, **{name: _merged(old.get(name), value) for name, value in new.items()}}


def made(kind: type[Object], fields: Fields) -> Object:
    """The object with these fields."""
    from ansible_ensemble.provision.objects.codec import Undecodable, from_plain

    try:
        return from_plain(kind, fields)
    except Undecodable as error:
        raise InvalidInput(f"this is none of {kind.PREFIX}: {error}") from None


def changed(old: Object, fields: Mapping[str, Any]) -> Object:
    """The object with other values of some fields."""
    from ansible_ensemble.provision.objects.codec import plain

    return made(type(old), merged(plain(old), fields))


def _types(kind: type[Object]) -> dict[str, Any]:
    import msgspec

    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def _typed(wanted: Any, text: str, word: str) -> Any:
    """The value of a field, by its type."""
    if wanted is str:
        return text
    if get_origin(wanted) is list and not text.lstrip().startswith("["):
        return [one.strip() for one in text.split(",") if one.strip()]
    value = _value(text, word)
    if wanted is bool and not isinstance(value, bool):
        raise InvalidInput(f"{word}: this is true or false")
    return value


def _merged(old: Any, new: Any) -> Any:
    return {**old, **new} if isinstance(old, dict) and isinstance(new, dict) else new


def _known(kind: type[Object], fields: Fields, shown: str) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        try:
            known = field_named(kind, str(name))
        except InvalidInput as error:
            raise InvalidInput(error.message, Place(shown), error.hint) from None
        if known not in kind.COMPUTED:
            yield known, value


def _data_of(path: str, stdin: TextIO) -> tuple[Any, str]:
    """What a file says, with numbers as JSON has them, and how errors name it."""
    from ansible_ensemble.documents.yaml import parse_yaml, read_yaml

    shown = "standard input" if path == "-" else path
    data = parse_yaml(stdin.read(), shown).data if path == "-" else read_yaml(Path(path)).data
    return _as_json(data, shown), shown


def _value(text: str, shown: str) -> Any:
    """The value of a word, as JSON has it."""
    return _as_json(value_of(text), shown)


def _as_json(data: Any, shown: str) -> Any:
    """What was read from YAML, as JSON has it: its numbers still know how they were written."""
    from ansible_ensemble.documents.scalars import VaultText

    def refuse(value: Any) -> Any:
        raise InvalidInput(f"a {type(value).__name__} is no value of JSON", Place(shown))

    if _holds(data, VaultText):
        raise InvalidInput("it holds values of Ansible Vault", Place(shown), "give it decrypted, by a pipe and `-`")
    try:
        return json.loads(json.dumps(reveal(data), allow_nan=False, default=refuse))
    except ValueError as error:
        raise InvalidInput(str(error), Place(shown)) from None


def _holds(value: Any, kind: type) -> bool:
    if isinstance(value, dict | list):
        return any(_holds(one, kind) for one in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, kind)
