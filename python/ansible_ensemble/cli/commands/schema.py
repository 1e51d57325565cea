"""`ansible-ensemble schema`."""

from __future__ import annotations

import argparse
import json

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.projects.schemas import KINDS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", metavar="KIND", nargs="?", default=None, choices=KINDS, help=f"of what: {', '.join(KINDS)}"
    )
    parser.add_argument(
        "--of",
        metavar="PATH",
        default=None,
        help="an ensemble or service template, whose types are known too (default: the ensemble here, if there is one)",
    )
    parser.add_argument(
        "--collection",
        metavar="NAME",
        action="append",
        default=[],
        help="a collection whose modules' arguments are known too, as Ansible's own are; may be repeated",
    )
    parser.add_argument(
        "--write", action="store_true", default=False, help="write all of them into .schemas/ of the project"
    )
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import schemas

    console = session.console
    if arguments.write == bool(arguments.kind):
        raise UsageError("schema wants KIND, or --write", hint="the kinds are " + ", ".join(KINDS))
    if arguments.kind:
        found = schemas.schema(arguments.kind, arguments.of, arguments.collection)
        console.answer(found, lambda: json.dumps(found, indent=2, ensure_ascii=False, default=str) + "\n")
        return 0
    wrote = schemas.write_schemas(arguments.of, arguments.collection)
    told = "".join(f"Wrote {file}\n" for file in wrote["files"]) or "The schemas are as they were.\n"
    console.answer(wrote, lambda: told)
    return 0
