"""`ansible-ensemble adopt`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import approved, run_job
from ansible_ensemble.cli.session import Session
from ansible_ensemble.cli.values import inputs_of
from ansible_ensemble.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", default=[], help="instances, by name (default: all)")
    parser.add_argument(
        "--attribute",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="record the instance with this attribute, without checking that it exists (repeatable)",
    )
    options.add_job_of_names(parser, "adopt")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    if arguments.attribute:
        return _by_hand(arguments, session)
    chosen = {"instances": list(arguments.names)}
    return run_job(arguments, session, lambda given: jobs.prepare_job(arguments.ensemble, "adopt", {**given, **chosen}))


def _by_hand(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    if len(arguments.names) != 1:
        raise UsageError("--attribute needs exactly one instance", hint="name one instance")
    name = arguments.names[0]
    attributes = inputs_of([], arguments.attribute)
    if not approved(arguments, session, f"Record that {name} is there without checking that it exists?"):
        return 1
    session.console.answer(jobs.adopt(arguments.ensemble, name, attributes), lambda: f"Adopted: {name}.\n")
    return 0
