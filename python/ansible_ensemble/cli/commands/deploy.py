"""`ansible-ensemble deploy`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_workflow
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    options.add_approval(parser)
    options.add_job(parser, "deploy")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Deploy."""
    return run_workflow("deploy", arguments, session, ask=True)
