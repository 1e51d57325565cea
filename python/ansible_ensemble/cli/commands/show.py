"""`ansible-ensemble show`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.reports.history_text import job_record_text, task_record_text

#: Seconds between two looks at whether a job still runs, and between two fetches of a state that lives elsewhere.
_INTERVAL, _FETCH = 0.25, 3.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("change_id", metavar="CHANGEID", help="id of a job or task, as in `ansible-ensemble history`")
    parser.add_argument(
        "--watch", action="store_true", default=False, help="follow a job that runs, whoever began it, to its end"
    )
    options.add_ensemble_option(parser)
    options.add_options(parser, "show")
    options.add_common(parser, (*options.FORMATS, "html"))


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    given = options.job_options(arguments, console.environment)
    if arguments.watch:
        _watch(arguments, session, given)
    if arguments.output == "html":
        from ansible_ensemble.reports.job_html import job_html

        console.result(job_html(*inspection.report(arguments.ensemble, arguments.change_id, given)))
        return 0
    record = inspection.show(arguments.ensemble, arguments.change_id, given)
    text = job_record_text if "tasks" in record else task_record_text
    console.answer(record, lambda: text(record, console.style))
    return 0


def _watch(arguments: argparse.Namespace, session: Session, given: Mapping[str, Any]) -> None:
    """Show what a job does while it runs; one that is recorded already has nothing more to show."""
    from ansible_ensemble.cli.live import live_lines
    from ansible_ensemble.jobs import inspection
    from ansible_ensemble.reports.remaining import Remaining

    inspection.fetch(arguments.ensemble, given)
    journal = inspection.running_journal(arguments.ensemble, arguments.change_id)
    if journal is None:
        return
    fetched = time.monotonic()

    def pause() -> None:
        nonlocal fetched
        time.sleep(_INTERVAL)
        if time.monotonic() - fetched >= _FETCH:
            inspection.fetch(arguments.ensemble, given)
            fetched = time.monotonic()

    while inspection.is_beginning(arguments.ensemble, journal):
        pause()
    plan = inspection.running_plan(arguments.ensemble, journal, given)
    document = plan.document if plan else {"operations": []}
    left = Remaining(plan.document, plan.usual, plan.slots) if plan and session.console.is_terminal else None
    with live_lines(session.console, document, journal, verbosity=arguments.verbose, remaining=left):
        while inspection.may_run(arguments.ensemble, journal):
            pause()
    if journal.exists():
        raise EnsembleError(f"the job {arguments.change_id} was killed", hint="`ansible-ensemble recover` records it")
