"""`ansible-ensemble state push` and `ansible-ensemble state pull`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

#: What is replaced by force.
_REPLACED = {"state push": "what others pushed meanwhile", "state pull": "what is here and was not pushed"}


def configure(parser: Parser) -> None:
    parser.set_defaults(command_name=parser.command)
    options.add_ensemble(parser)
    parser.add_argument(
        "--force", action="store_true", default=False, help=f"also in the place of {_REPLACED[parser.command]}"
    )
    options.add_options(parser, "state")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import stored_state as jobs

    given = options.job_options(arguments, session.console.environment)
    if arguments.command_name == "state pull":
        pulled = jobs.pull_state(arguments.ensemble, given, forced=arguments.force)
        session.console.answer(pulled, lambda: f"The state is that of {pulled['where']}.\n")
    else:
        pushed = jobs.push_state(arguments.ensemble, given, forced=arguments.force)
        what = "The state was pushed to" if pushed["pushed"] else "There is nothing to push to"
        session.console.answer(pushed, lambda: f"{what} {pushed['where']}.\n")
    return 0
