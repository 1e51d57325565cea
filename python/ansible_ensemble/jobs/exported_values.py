"""Values as they are written, without the secrets among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import REDACTED, Sensitive, is_secret_name
from ansible_ensemble.language.functions import function_name, is_template

#: Functions whose arguments name where a value is; that of others may be a part of it.
_NAMING = frozenset(
    {
        *("get_input", "get_property", "get_attribute", "get_operation_output", "get_artifact", "get_nodes_of_type"),
        *("get_env", "get_secret", "secret", "local", "external", "ref", "eval", "select", "file", "lookup"),
    }
)
#: The function whose argument is a secret, whatever it is the value of.
_SENSITIVE = "sensitive"
#: The function whose argument is no call.
_LITERAL = "q"
#: A template that names where a value is.
_REFERENCE = regex(r"\s*\{\{\s*[A-Za-z_][\w.]*(\[\w+\])*\s*(\|\s*\w+\s*)*\}\}\s*")


def hidden(value: Any, name: str, *, secret: bool = False, nested: bool = False) -> Any:
    """A value of a name as it is written: secrets are masked, those within maps, lists and calls of functions, too.

    How a secret is computed is shown as far as it names where the secret is. What is nested in a call may be a call of
    any function.
    """
    if isinstance(value, Sensitive):
        return REDACTED
    if value is None or isinstance(value, bool):
        return value
    is_call = isinstance(value, Mapping) and function_name(value, nested=nested) is not None
    secret = secret or (is_secret_name(name) and (is_call or not isinstance(value, Mapping)))
    if is_call:
        return {key: _argument(key, one, secret=secret) for key, one in value.items()}
    if isinstance(value, Mapping) and not secret:
        inner = name == "keys"  # those of a Credential
        return {key: hidden(one, str(key), secret=inner) for key, one in value.items()}
    if isinstance(value, str) and is_template(value):
        return REDACTED if secret and not _REFERENCE.fullmatch(value) else value
    if secret:
        return REDACTED
    return [hidden(one, name) for one in value] if isinstance(value, list) else value


def _argument(function: str, given: Any, *, secret: bool) -> Any:
    """What a function is given, or one of its options."""
    secret = secret or function == _SENSITIVE
    if not secret and isinstance(given, list):
        return [_argument(function, one, secret=False) for one in given]
    if not secret or function == _LITERAL:
        return hidden(given, "", secret=secret, nested=function != _LITERAL)
    if isinstance(given, Mapping):
        return {key: _argument(str(key), one, secret=True) for key, one in given.items()}
    if isinstance(given, list):
        if function in ("get_env", "get_input"):  # the second is what stands for a missing one
            return [*given[:1], *(_argument("", one, secret=True) for one in given[1:])]
        return [_argument(function, one, secret=True) for one in given]
    if function in _NAMING and not (isinstance(given, str) and is_template(given)):
        return given
    return hidden(given, "", secret=True)
