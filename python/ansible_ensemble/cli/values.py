"""Inputs and variables given on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place, UsageError
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.documents.scalars import with_texts
from ansible_ensemble.documents.yaml import parse_yaml, read_yaml
from ansible_ensemble.projects.vault import Vault, is_encrypted


def inputs_of(files: Sequence[str], assignments: Sequence[str], vault: Vault | None = None) -> dict[str, Any]:
    """Topology inputs: those of files in order, then the single ones.

    Args:
        files: paths of YAML files, each a map; the values of an encrypted one are sensitive.
        assignments: each `NAME=VALUE`.
        vault: opens encrypted files; None knows no password.
    """
    inputs: dict[str, Any] = {}
    for file in files:
        # a job's processes hand them on as JSON
        inputs.update({name: with_texts(value) for name, value in _map_of_file(file, vault).items()})
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not name or not equals:
            raise UsageError(f'"{assignment}" sets no input', hint="write --input NAME=VALUE")
        inputs[name] = value_of(text)
    return inputs


def variables_of(
    extra_vars: Sequence[str], pairs: Sequence[Sequence[str]], vault: Vault | None = None
) -> dict[str, Any]:
    """Job variables: Ansible's `--extra-vars` in order, then pairs of name and value."""
    variables: dict[str, Any] = {}
    for text in extra_vars:
        if text.startswith("@"):
            variables.update(_map_of_file(text[1:], vault))
        elif text.lstrip().startswith(("{", "[")):
            variables.update(_as_map(parse_yaml(text, "--extra-vars").data, "--extra-vars"))
        else:
            variables.update(_assigned(text))
    variables.update({name: value_of(text) for name, text in pairs})
    return variables


def value_of(text: str) -> Any:
    """The value that a text on the command line means.

    It is read as YAML, except where that would lose something: the version `1.10` and the code `007` stay text.
    """
    if "\n" in text:
        return text
    try:
        value = parse_yaml(text, "the command line").data
    except InvalidInput:
        return text
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return with_texts(value)
    return text if value is None and text != "null" else value


def _assigned(text: str) -> dict[str, str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--extra-vars {text}: {error}", hint="close the quote") from error
    pairs = [word.partition("=") for word in words]
    for name, equals, _tail in pairs:
        if not name or not equals:
            raise UsageError(f'--extra-vars {text}: "{name}" sets nothing', hint="write name=value, YAML or @file")
    return {name: value for name, _separator, value in pairs}


def _map_of_file(path: str, vault: Vault | None) -> Mapping[str, Any]:
    file = Path(path)
    if not file.is_file() or not is_encrypted(file.read_bytes()[:32]):
        return _as_map(read_yaml(path).data, path)
    try:
        text = (vault or Vault()).read_file(file).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("this is not text", Place(path)) from error
    values = _as_map(parse_yaml(text, path).data, path)
    return {name: mark_sensitive(value) for name, value in values.items()}


def _as_map(data: Any, source: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InvalidInput(f"{source} holds no map of names and values", hint="write `name: value` lines")
    return data
