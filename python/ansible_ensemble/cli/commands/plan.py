"""`ansible-ensemble plan`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.reports.plan_words import is_empty, is_unsure


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    parser.add_argument("--workflow", metavar="NAME", default="deploy", help="the workflow to plan (default: deploy)")
    parser.add_argument("--out", metavar="FILE", help="save the plan, for `ansible-ensemble deploy FILE`")
    parser.add_argument(
        "--check", action="store_true", help="run Ansible operations in check mode and show what they would change"
    )
    parser.add_argument(
        "--detailed-exitcode",
        action="store_true",
        default=False,
        help="exit with 2 if something is, or may be, to be done",
    )
    options.add_values(parser)
    options.add_options(parser, "plan")
    options.add_ansible(parser)
    options.add_common(parser, (*options.FORMATS, "markdown", "html"))


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import planned

    console = session.console
    given = options.job_options(arguments, console.environment)
    check = given.pop("check", False)
    outcome = planned.make_plan(arguments.ensemble, arguments.workflow, given)
    if check and not is_empty(outcome.document):
        from ansible_ensemble.cli.job import play_job
        from ansible_ensemble.jobs import commands as jobs

        dry = {**given, "check": True, "diff": True}
        with jobs.prepare_job(arguments.ensemble, arguments.workflow, dry) as job:
            console.outlive_readers()
            result = play_job(job, arguments, session, extra=("--diff",))
            outcome.predict(job.finish(result.interrupted_by))
        if result.interrupted_by is not None:
            return 128 + result.interrupted_by
    if hasattr(arguments, "out"):
        outcome.save(Path(arguments.out))
    if arguments.output == "json":
        console.document(outcome.document)
    elif arguments.output == "markdown":
        from ansible_ensemble.reports.plan_markdown import plan_markdown

        console.result(plan_markdown(outcome.document))
    elif arguments.output == "html":
        from ansible_ensemble.reports.plan_html import plan_html

        console.result(plan_html(outcome.with_instances()))
    else:
        console.tell(plan_text(outcome.document, console.style, verbose=arguments.verbose > 0))
        if hasattr(arguments, "out"):
            from ansible_ensemble.records.saved_plans import command_for

            command = command_for(arguments.workflow, Path(arguments.out))
            console.line(f"The plan is saved in {arguments.out}. `{command}` executes it without asking again.")
            if lost := outcome.wanted_again:
                console.line(
                    f"Without a vault password it lacks what is sensitive: give the {', '.join(lost)} there again, "
                    "best with --inputs FILE or -e @FILE."
                )
    return 2 if arguments.detailed_exitcode and (not is_empty(outcome.document) or is_unsure(outcome.document)) else 0
