"""`ansible-ensemble check`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_workflow
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    parser.add_argument("--detailed-exitcode", action="store_true", default=False, help="exit with 2 if there is drift")
    options.add_job(parser, "check", formats=("text", "json", "markdown"))


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Check instances and report drift."""
    return run_workflow("check", arguments, session, ask=False)
