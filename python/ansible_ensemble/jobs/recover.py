"""Recover: the journals that killed jobs left are recorded before anything else happens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.jobs.ensemble import Ensemble
from ansible_ensemble.jobs.given import options_of_job
from ansible_ensemble.jobs.journals import close_journal, is_empty, job_log, open_journals
from ansible_ensemble.jobs.location import Location
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.read import read_ensemble
from ansible_ensemble.jobs.record import Folded, fold, read_job_journal, record_job, report_journal
from ansible_ensemble.jobs.repositories import free_repositories, keep_in_git
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.projects.process import Presence, presence


def read_recovered(location: Location, options: JobOptions, *, write: bool) -> Ensemble:
    """Read an ensemble with what killed jobs did.

    Args:
        location: the ensemble.
        options: the job's options.
        write: record the journals, for which the lock must be held; else only look into them.

    Raises:
        Locked: a job that lost its lock still runs.
        EnsembleError: a journal cannot be read or recorded.
    """
    told = [text for text, _ in record_killed(location, options)] if write else []
    ensemble = read_ensemble(location, options)
    ensemble.warnings += told
    if write:
        ensemble.warnings += free_repositories(ensemble)
        return ensemble
    ensemble.evaluator.surroundings.plans = True
    for journal in open_journals(ensemble.folder):
        if not is_empty(read_journal(journal)):
            folded = read_job_journal(journal)
            fold(folded, ensemble)
            ensemble.warnings.append(f"Job {folded.header['job']} runs, or was killed and is not recorded yet.")
    return ensemble


def record_killed(location: Location, options: JobOptions) -> list[tuple[str, dict[str, Any]]]:
    """Record the jobs that were killed, oldest first; the lock must be held.

    Returns:
        For each, what to tell, and its report.

    Raises:
        Locked: a job that lost its lock still runs.
        EnsembleError: a journal cannot be read or recorded.
    """
    found = []
    for journal in open_journals(location.ensemble.parent):
        if is_empty(read_journal(journal)):
            close_journal(journal)
            continue
        folded = read_job_journal(journal)
        names = ", ".join(event["key"] for event in folded.interrupted if event["implementation"])
        _check_gone(folded)
        text = f"Job {folded.header['job']} had been killed; what it did is recorded now."
        report = record_journal(read_for(location, folded.header, options), journal)
        found.append((f"{text} Interrupted: {names}." if names else text, report))
    return found


def read_for(location: Location, header: Mapping[str, Any], options: JobOptions) -> Ensemble:
    """The ensemble as a killed job saw it: with its inputs, its environment and, if it rolled back, its specification.

    Args:
        location: the ensemble.
        header: the job's first event.
        options: those of this call, for what no record holds, and for a job whose own do not fit the files any more.

    Raises:
        EnsembleError: the ensemble cannot be read by these either.
    """
    try:
        own = options_of_job(header["options"], {"vault": options.open_vault()}, location.ensemble.parent / PLANNED)
        return read_ensemble(location, own)
    except EnsembleError:
        return read_ensemble(location, options)


def _check_gone(folded: Folded) -> None:
    """A job that lost its lock ends what it began, and its journal grows until then.

    Raises:
        Locked: the process that carries it out is still there.
    """
    process = folded.process
    if process is not None and presence(process) is Presence.ALIVE:
        raise Locked(
            f"job {folded.header['job']} still runs without its lock: process {process.pid} ends what it began",
            hint="try again later",
        )


def commit_job(ensemble: Ensemble, report: dict[str, Any], options: JobOptions) -> None:
    """Commit a recorded job; adds `commits` to its report, what went wrong to `problems`, and `warnings`."""
    job = report["job"]
    start = read_job_journal(job_log(ensemble.folder, job["id"])).header
    kept = keep_in_git(ensemble, start, options, f"{job['workflow'].capitalize()} {job['id']}: {job['summary']}")
    job["commits"] = kept.commits
    report.setdefault("problems", []).extend(kept.problems)
    report["warnings"] += kept.notes


def record_journal(ensemble: Ensemble, journal: Path, *, write: bool = True) -> dict[str, Any]:
    """Record the job of a journal and mark the journal as recorded; with `write` false, only report it.

    Raises:
        EnsembleError: see `record.record_job`.
    """
    if not write:
        return report_journal(ensemble, journal)
    report = record_job(ensemble, journal)
    close_journal(journal)
    return report
