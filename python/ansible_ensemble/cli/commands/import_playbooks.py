"""`ansible-ensemble import`."""

from __future__ import annotations

import argparse
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import approved, run_job
from ansible_ensemble.cli.parser import OF_IMPORT, Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.cli.typed_again import typed_again

_QUESTION = "Import, and look at the hosts in check mode?"


def configure(parser: Parser) -> None:
    parser.add_argument("playbooks", metavar="PLAYBOOK", nargs="+", help="playbooks, in the order in which they run")
    parser.add_argument(
        "--adopt",
        action="store_true",
        default=False,
        help="also record what is there already, found by check mode; changes no host",
    )
    options.add_approval(parser)
    options.add_job(parser, "adopt")
    parser.more, parser.alone = "--adopt", OF_IMPORT


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs
    from ansible_ensemble.reports.import_text import adopted_text, import_text

    console = session.console
    if arguments.adopt and not approved(arguments, session, _QUESTION):
        return 1
    given = options.job_options(arguments, console.environment)
    found = jobs.import_playbooks(arguments.playbooks, given)
    again = typed_again(arguments, "plan")
    if not arguments.adopt:
        console.answer(found, lambda: import_text(found, console.style, again))
        return 0
    console.tell(import_text(found, console.style, again, following="") + "\n")
    code = _adopt(found, arguments, session)
    if code == 0:
        console.tell("\n" + adopted_text(found, again))
    return code


def _adopt(found: dict[str, Any], arguments: argparse.Namespace, session: Session) -> int:
    """Take what is there into the status; the job's JSON report has the import's beside it."""
    from ansible_ensemble.jobs import commands as jobs

    arguments.beside = {"import": found}
    return run_job(arguments, session, lambda given: jobs.prepare_job(found["ensemble"], "adopt", given), ask=False)
