"""`ansible-ensemble recover`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import show_report
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    options.add_options(parser, "recover")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    report = jobs.recover(arguments.ensemble, options.job_options(arguments, session.console.environment))
    if "merged" in report:
        checks = "".join(f"Check: {text}\n" for text in report["check"])
        session.console.answer(
            report, lambda: f"{checks}{report['merged']} is merged; `git commit` concludes the merge.\n"
        )
    elif "freed" in report:
        session.console.answer(report, lambda: "".join(f"{text}\n" for text in report["freed"]))
    elif report:
        show_report(report, arguments, session)
    else:
        session.console.answer({}, lambda: "There is nothing to recover.\n")
    return 0
