"""`ansible-ensemble replay`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_job
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("changes", metavar="CHANGEID", nargs="+", help="ids of tasks, or of jobs for all their tasks")
    options.add_job_of_names(parser, "replay")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    return run_job(arguments, session, lambda given: jobs.prepare_replay(arguments.ensemble, arguments.changes, given))
