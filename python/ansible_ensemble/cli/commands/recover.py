"""`ansible-ensemble recover`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import show_report
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Record what a killed job did, which every job does first, too; unite the sides of a merge that git could not."""
    from ansible_ensemble.jobs import commands as jobs

    report = jobs.recover(arguments.ensemble)
    if "merged" in report and arguments.output != "json":
        for text in report["check"]:
            session.console.line(f"Check: {text}")
        session.console.line(f"{report['merged']} is merged; `git commit` concludes the merge.")
    elif "freed" in report and arguments.output != "json":
        for text in report["freed"]:
            session.console.line(text)
    elif "merged" in report or "freed" in report:
        session.console.document(report)
    elif report:
        show_report(report, arguments, session)
    elif arguments.output == "json":
        session.console.document({})
    else:
        session.console.line("There is nothing to recover.")
    return 0
