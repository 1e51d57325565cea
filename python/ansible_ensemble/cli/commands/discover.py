"""`ansible-ensemble discover`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_workflow
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)

    options.add_job(parser, "discover")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Discover what exists."""
    return run_workflow("discover", arguments, session, ask=False)
