"""The JSON Schema of the arguments of a module, by its spec; what it refuses, `arguments.py` refuses too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.configurators.argument_rules import FREE
from ansible_ensemble.configurators.arguments import BOOLEANS, is_file_mode
from ansible_ensemble.configurators.module_spec import ModuleSpec, Option

Json = dict[str, Any]

_BOOLEAN = "|".join("".join(f"[{one}{one.upper()}]" for one in word) for word in sorted(BOOLEANS))
#: Types that do not take every value, with the texts that are one of them, too.
_TYPES: Mapping[str, list[Json]] = {
    "bool": [{"type": "boolean"}, {"enum": [0, 1]}, {"type": "string", "pattern": f"^({_BOOLEAN})$"}],
    "int": [{"type": "integer"}, {"type": "string", "pattern": r"^\s*[-+]?[0-9_]+\s*$"}],
    "float": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[-+]?([0-9._]|[iI][nN][fF]|[nN][aA][nN])"}],
    "list": [{"type": "array"}, {"type": ["string", "number", "boolean"]}],
    "dict": [{"type": "object"}, {"type": "string"}],
    "path": [{"type": ["string", "number", "boolean"]}],
}
#: Line ends as modules document them -> as they are, which modules take as well.
_LINE_ENDS = {r"\n": "\n", r"\r": "\r", r"\r\n": "\r\n"}
#: Words of choices that are true and false as well.
_WORDS = {True: {"yes", "true"}, False: {"no", "false"}}
#: Digits of which not all are octal ones.
_NOT_OCTAL: Json = {"type": "string", "pattern": "^[0-9]*[89][0-9]*$"}


def argument_schema(spec: ModuleSpec, computed: Json, open_keys: str) -> Json:
    """The schema of the map with a module's arguments.

    Args:
        spec: the module's.
        computed: the schema of what gives a value later.
        open_keys: a pattern of keys that may stand in any map.
    """
    return _Maker(computed, open_keys).of_options(spec.options)


class _Maker:
    """Schemas of options, each of whose values may be computed."""

    def __init__(self, computed: Json, open_keys: str) -> None:
        self._computed = computed
        self._open = open_keys

    def of_options(self, options: Mapping[str, Option]) -> Json:
        """A map of options by name."""
        named = {name: self._given(name, one) for name, one in options.items()}
        others = {alias: named[name] for name, one in options.items() for alias in one.aliases}
        return {
            "type": ["object", "null"],
            "properties": {**others, **named, FREE: True},
            "patternProperties": {self._open: True},
            "additionalProperties": False,
            **self._asked(options),
        }

    def _asked(self, options: Mapping[str, Option]) -> Json:
        """That some are given, under one of their names; a map that merges another may get them from there."""
        asked = [(name, *one.aliases) for name, one in options.items() if one.required]
        if not asked:
            return {}
        given = [{"anyOf": [{"required": [name]} for name in names]} for names in asked]
        return {"if": {"propertyNames": {"not": {"pattern": self._open}}}, "then": {"allOf": given}}

    def _given(self, name: str, option: Option) -> Json:
        schema: Json = {"description": option.description} if option.description else {}
        if isinstance(option.default, str | int | float | bool) and not option.secret:
            schema["default"] = option.default
        if is_file_mode(name, option):
            return {**schema, "not": {"anyOf": [{"type": ["integer", "boolean"]}, _NOT_OCTAL]}}
        forms = self._forms(option)
        return {**schema, "anyOf": [*forms, self._computed, {"type": "null"}]} if forms else schema

    def _forms(self, option: Option) -> list[Json]:
        """What its value may be; nothing if that is anything."""
        if option.type != "list":
            return self._item(option, option.type)
        array, text = _TYPES["list"]
        items = self._item(option, option.elements)
        return [{**array, "items": {"anyOf": [*items, self._computed]}} if items else array, text]

    def _item(self, option: Option, kind: str) -> list[Json]:
        if option.choices and kind != "bool":
            return [{"enum": list(_chosen(option.choices))}]
        if option.options:
            return [self.of_options(option.options), *(form for form in _TYPES["dict"] if form["type"] != "object")]
        return _TYPES.get(kind, [])


def _chosen(choices: Iterable[Any]) -> Iterable[Any]:
    """Choices, and what is the same to Ansible: texts and numbers, words and booleans."""
    yield from choices
    texts = {str(choice) for choice in choices}
    texts |= {_LINE_ENDS[text] for text in texts if text in _LINE_ENDS}
    yield from (text for text in sorted(texts) if text not in choices)
    yield from (int(text) for text in sorted(texts) if text.isdecimal() and text == str(int(text)))
    words = {text.lower() for text in texts}
    yield from (value for value, same in _WORDS.items() if words & same)
