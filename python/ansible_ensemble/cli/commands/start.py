"""`ansible-ensemble start`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_workflow
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    options.add_approval(parser)
    options.add_job(parser, "start")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Start what was stopped."""
    return run_workflow("start", arguments, session, ask=True)
