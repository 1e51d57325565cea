"""`ansible-ensemble notify`."""

from __future__ import annotations

import argparse
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_job
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trigger", metavar="NAME", help="name of the event, or of a policy's trigger")
    parser.add_argument("--data", metavar="FILE", help="JSON or YAML file with input for the actions; - is stdin")
    options.add_job_of_names(parser, "notify")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    event = {"trigger": arguments.trigger, "notification": _data(getattr(arguments, "data", None), session)}
    return run_job(arguments, session, lambda given: jobs.prepare_job(arguments.ensemble, "notify", {**given, **event}))


def _data(source: str | None, session: Session) -> Any:
    from ansible_ensemble.documents.yaml import parse_yaml, read_yaml

    if source is None:
        return None
    return parse_yaml(session.console.stdin.read(), "stdin").data if source == "-" else read_yaml(source).data
