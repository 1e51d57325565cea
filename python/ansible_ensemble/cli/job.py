"""A job from the command line: plan, approval, playbook, report, exit code."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli.live import live_lines
from ansible_ensemble.cli.logged import passed_on
from ansible_ensemble.cli.options import ansible_options, is_approved, is_plan_file, job_options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.cli.typed_again import typed_again
from ansible_ensemble.core.errors import EnsembleError, Locked, UsageError
from ansible_ensemble.core.sensitive import redact
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.reports.drift_markdown import drift_markdown
from ansible_ensemble.reports.drift_text import is_sound
from ansible_ensemble.reports.job_text import job_text
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.reports.plan_words import is_empty
from ansible_ensemble.reports.remaining import Remaining

if TYPE_CHECKING:
    from ansible_ensemble.jobs.prepared_job import PreparedJob
    from ansible_ensemble.runner.playbook import RunnerResult

#: Makes the job ready, given the job options.
Prepare = Callable[[Mapping[str, Any]], "PreparedJob"]


def run_job(arguments: argparse.Namespace, session: Session, prepare: Prepare, *, ask: bool = True) -> int:
    """Run a job to its end; returns the exit code. With `ask` its plan needs approval, if it does anything for good."""
    console = session.console
    options = job_options(arguments, console.environment)
    _check_junit(arguments)
    with prepare(options) as job:
        console.tell(plan_text(job.document, console.style, verbose=arguments.verbose > 0))
        ask = ask and not options.get("check") and not is_empty(job.document)
        if ask and not approved(arguments, session, "Execute this plan?"):
            return 1
        return _carry_out(job, arguments, session)


def run_workflow(workflow: str, arguments: argparse.Namespace, session: Session, *, ask: bool) -> int:
    """Run a job of a workflow on ENSEMBLE, as `run_job`; a saved plan is executed without asking again."""
    from ansible_ensemble.jobs import commands as jobs

    ensemble = arguments.ensemble
    if is_plan_file(ensemble):
        plan, loaded = Path(ensemble), getattr(arguments, "saved_plan", None)
        return run_job(
            arguments, session, lambda given: jobs.prepare_saved_plan(plan, workflow, given, loaded), ask=False
        )
    return run_job(arguments, session, lambda given: jobs.prepare_job(ensemble, workflow, given), ask=ask)


def approved(arguments: argparse.Namespace, session: Session, question: str) -> bool:
    """Whether the user agrees: by option, by environment variable, or when asked; tells that nothing is done if not."""
    if is_approved(arguments, session.console) or session.console.confirm(question):
        return True
    session.console.line("Not approved; nothing was done.")
    return False


def play_job(
    job: PreparedJob, arguments: argparse.Namespace, session: Session, *, extra: Sequence[str] = ()
) -> RunnerResult:
    """Run the playbook of a job whose plan is not empty, with `extra` options, and show its progress."""
    console = session.console
    left = Remaining(job.document, job.usual_seconds(), job.slots) if console.is_terminal else None
    with live_lines(console, job.document, job.journal, verbosity=arguments.verbose, remaining=left) as show:
        return session.run_playbook(
            job.playbook,
            private_data_dir=job.folder,
            ident=job.id,
            extravars=job.save(),
            show=show,
            cmdline=[*ansible_options(arguments), *extra],
            verbosity=arguments.verbose,
            environment={
                "ANSIBLE_FORCE_COLOR" if console.style.colour else "ANSIBLE_NOCOLOR": "1",
                **passed_on(arguments),
            },
            callback_folders=job.callback_folders,
        )


def _carry_out(job: PreparedJob, arguments: argparse.Namespace, session: Session) -> int:
    console = session.console
    console.outlive_readers()
    interrupted_by: int | None = None
    failures: list[str] = []
    failed = False
    if not is_empty(job.document):
        console.line("")
        result = play_job(job, arguments, session)
        interrupted_by, failures, failed = result.interrupted_by, result.failures, result.rc != 0
    try:
        report = job.finish(interrupted_by)
    except EnsembleError as error:
        if failures and failures[-1] not in error.message:
            error.message += f": {failures[-1]}"
        raise
    if asked := getattr(arguments, "queries", None):
        _answer(asked, job, report)
    report |= getattr(arguments, "beside", {})  # what the command did before the job
    _write_junit(report, arguments)
    exit_code = int(report["job"]["exit_code"])
    if report.get("problems"):
        report["job"]["exit_code"] = exit_code or 1
    show_report(report, arguments, session)
    if report.get("lost_lock") and report["job"]["signal"] is None:
        raise Locked(report["lost_lock"])
    if exit_code and (report["job"]["total"] or not failures):
        return exit_code
    if failed and interrupted_by is not None:
        return 128 + interrupted_by  # after the last operation, but before the playbook's end
    if failed:
        raise EnsembleError(
            failures[-1] if failures else "ansible-playbook failed outside the operations", hint="-vv shows its output"
        )
    if report.get("problems"):
        return 1  # the job is done and recorded, but not committed, or not as locked as it was to be
    return 2 if getattr(arguments, "detailed_exitcode", False) and not is_sound(report) else 0


def _answer(expressions: Sequence[str], job: PreparedJob, report: dict[str, Any]) -> None:
    """Add the values of expressions to a job's report; one that has none is a problem, as the job is done."""
    report["queries"] = []
    for expression in expressions:
        try:
            report["queries"].append({"expression": expression, "value": job.query(expression)})
        except EnsembleError as error:
            report.setdefault("problems", []).append(f"--query {expression}: {error}")


def _check_junit(arguments: argparse.Namespace) -> None:
    """Refuse a file that cannot be written before the job runs."""
    if hasattr(arguments, "junit"):
        file = Path(arguments.junit)
        if file.is_dir() or not file.parent.is_dir():
            raise UsageError(f"--junit {file}: " + ("this is a folder" if file.is_dir() else "its folder is missing"))


def _write_junit(report: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Write the report as JUnit's XML where that was asked for; the job is done, so an error is one of its problems."""
    if hasattr(arguments, "junit"):
        from ansible_ensemble.reports.junit import job_junit

        try:
            write_atomically(Path(arguments.junit), job_junit(redact(report)))
        except OSError as error:
            report.setdefault("problems", []).append(f"--junit {arguments.junit}: {error.strerror or error}")


def show_report(report: dict[str, Any], arguments: argparse.Namespace, session: Session) -> None:
    """Write a job's report in the form that was asked for."""
    console = session.console
    if arguments.output == "json":
        console.document(report)
    elif arguments.output == "markdown":
        console.result(drift_markdown(report))
    else:
        again = typed_again(arguments, str(report["job"]["workflow"]))
        console.tell("\n" + job_text(report, console.style, verbose=arguments.verbose > 0, again=again))
