"""`ansible-ensemble show`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.history_text import job_record_text, task_record_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("change_id", metavar="CHANGEID", help="id of a job or task, as in `ansible-ensemble history`")
    options.add_ensemble_option(parser)
    options.add_options(parser, "show")
    options.add_common(parser, (*options.FORMATS, "html"))


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Show the record of a job or task."""
    from ansible_ensemble.jobs import inspection

    console = session.console
    given = options.job_options(arguments, console.environment)
    if arguments.output == "html":
        from ansible_ensemble.reports.job_html import job_html

        console.result(job_html(*inspection.report(arguments.ensemble, arguments.change_id, given)))
        return 0
    record = inspection.show(arguments.ensemble, arguments.change_id, given)
    text = job_record_text if "tasks" in record else task_record_text
    console.answer(record, lambda: text(record, console.style))
    return 0
