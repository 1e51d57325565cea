"""`ansible-ensemble stop`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_workflow
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    options.add_approval(parser)
    options.add_job(parser, "stop")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Stop what runs."""
    return run_workflow("stop", arguments, session, ask=True)
