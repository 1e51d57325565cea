"""The arguments of commands that create and change objects, and what they mean."""

from __future__ import annotations

import argparse
from typing import Any

from ansible_ensemble.cli import endpoint, object_fields, objects, options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.object_fields import Fields
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.core.errors import UsageError


def add(parser: Parser, kind: str) -> None:
    """Add what says how an object is to be."""
    parser.is_mixed = True
    parser.add_argument("fields", metavar="FIELD=VALUE", nargs="*", default=[], help="a field, as Description=text")
    parser.add_argument(
        "-f", "--file", metavar="FILE", default=None, help="fields in YAML or JSON; - is standard input"
    )
    if objects.has_params(kind):
        parser.add_argument(
            "--param", metavar="NAME=VALUE", action="append", default=[], help="a param (may be repeated)"
        )
        parser.add_argument(
            "--profile", metavar="NAME", action="append", default=[], help="add a profile (may be repeated)"
        )
    if kind == "machines":
        parser.add_argument("--force", action="store_true", default=False, help="go past the guards that may be passed")
    endpoint.add(parser)
    options.add_common(parser)


def wanted(arguments: argparse.Namespace, console: Console) -> list[Fields]:
    """The fields that are asked for, of each object: those of the file, with those of the arguments in their place."""
    kind = objects.kind_of(arguments.kind)
    said = object_fields.fields_of_words(kind, arguments.fields)
    if params := object_fields.params_of(getattr(arguments, "param", [])):
        said["Params"] = {**said.get("Params", {}), **params}
    if arguments.file is None:
        return [said]
    listed = object_fields.fields_of_file(kind, arguments.file, console.stdin)
    if (said or getattr(arguments, "profile", [])) and len(listed) > 1:
        raise UsageError("a file with several objects takes no further fields")
    return [object_fields.merged(one, said) for one in listed]


def with_profiles(arguments: argparse.Namespace, fields: Fields, old: Any = None) -> Fields:
    """The field of the profiles where `--profile` adds to those that are asked for, or that it has."""
    added = getattr(arguments, "profile", [])
    held = fields.get("Profiles", old.profiles if old and added else [])
    return {"Profiles": [*held, *(name for name in added if name not in held)]} if added else {}


def is_forced(arguments: argparse.Namespace) -> bool:
    """Whether guards are to be passed."""
    return bool(getattr(arguments, "force", False))
