"""Values that are given as texts, as variables and surveys do, and mean values of the types that are declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.documents.scalars import VaultText, as_read
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.definitions import ParameterDefinition
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.values import DataTypes, resolve

#: Types whose values a text may mean; one that is given for another type means itself.
_SCALARS = frozenset({"integer", "float", "boolean"})
_WHOLES = frozenset({"list", "map", "range"})


class GivenText(str):
    """A text that means a number, a boolean, a list or a map if it is given for an input of such a type."""

    __slots__ = ()


class GivenNull(GivenText):
    """A null that means an empty text if it is given for a string: Ansible reads AWX's `!unsafe ''` as null."""

    __slots__ = ()


def as_given(value: Any) -> Any:
    """A value of an option or variable, with its text marked as one that may mean something else."""
    if value is None:
        return GivenNull()
    is_text = isinstance(value, str) and not isinstance(value, (Sensitive, VaultText))
    return GivenText(value) if is_text else value


def meant_by(value: Any, definition: ParameterDefinition, data_type: DataTypes) -> Any:
    """What a value means for an input: a text that is given what it is in YAML, if that is of the input's type.

    Any other value, and a text that means nothing of the type, is itself.
    """
    if not isinstance(value, str) or not isinstance(value, (GivenText, Sensitive)):
        return value
    base = resolve(definition.schema, data_type)[0]
    if isinstance(value, GivenNull):
        return "" if base == "string" else None
    text = str.__str__(value)
    read = text if is_computed(text) else _read(text, base, definition.name)
    return mark_sensitive(read) if isinstance(value, Sensitive) else read


def _read(text: str, base: str, name: str) -> Any:
    try:
        if base in _SCALARS:
            read = as_read(text.strip())
            return text if read is None else read
        if base in _WHOLES:
            whole = parse_yaml(text, f"the input {name}").data
            return whole if isinstance(whole, list | dict) and not is_computed_within(whole) else text
    except (InvalidInput, ValueError):
        pass
    return text


def refuse_computed(inputs: Mapping[str, Any]) -> None:
    """Refuse functions and templates among inputs of somebody who may not write them, such as the answers to a survey.

    Only a topology and its ensemble may compute inputs, for that may run anything.

    Raises:
        UsageError: a value is computed.
    """
    for name, value in inputs.items():
        if is_computed_within(value):
            raise UsageError(
                f"the input {name} is computed, and here inputs are plain values: no templates, no functions"
            )


def is_computed_within(value: Any) -> bool:
    """Whether a value or a part of it is known only when it is evaluated."""
    if is_computed(value):
        return True
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(map(is_computed_within, parts))
