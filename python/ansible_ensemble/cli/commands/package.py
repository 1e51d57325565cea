"""`ansible-ensemble package`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser, "a TOSCA service template, or its folder")
    parser.add_argument("--entry", metavar="NAME", default=None, help="the service template, from the folder on")
    parser.add_argument(
        "--out", metavar="FILE", default=None, help="the archive (default: named after the service template, here)"
    )
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs.package import package

    made = package(arguments.ensemble, entry=arguments.entry, out=arguments.out)
    told = f"Packaged {len(made['files'])} files into {made['archive']}; {made['entry']} is the entry.\n"
    session.console.answer(made, lambda: told)
    return 0
