"""Recover: the journals that killed jobs left are recorded before anything else happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import Locked
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.jobs.ensemble import Ensemble
from ansible_ensemble.jobs.journals import close_journal, is_empty, job_log, open_journals
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.read import Location, read_ensemble
from ansible_ensemble.jobs.record import Folded, fold, read_job_journal, record_job, report_journal
from ansible_ensemble.jobs.repositories import free_repositories, keep_in_git
from ansible_ensemble.projects.process import Presence, Process, presence


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
    ensemble = read_ensemble(location, options)
    for journal in open_journals(ensemble.folder):
        if is_empty(read_journal(journal)):
            if write:
                close_journal(journal)
            continue
        folded = read_job_journal(journal)
        names = ", ".join(event["key"] for event in folded.interrupted if event["implementation"])
        job = folded.header["job"]
        if write:
            _check_gone(folded)
        else:
            fold(folded, ensemble)
            ensemble.warnings.append(f"Job {job} runs, or was killed and is not recorded yet.")
            continue
        record_journal(ensemble, journal)
        text = f"Job {job} had been killed; what it did is recorded now."
        ensemble = read_ensemble(location, options)
        ensemble.warnings.append(f"{text} Interrupted: {names}." if names else text)
    if write:
        ensemble.warnings += free_repositories(ensemble)
    return ensemble


def _check_gone(folded: Folded) -> None:
    """A job that lost its lock ends what it began, and its journal grows until then.

    Raises:
        Locked: the process that carries it out is still there.
    """
    recorded = folded.header.get("process")
    if recorded is None:
        return  # its beginning was lost
    process = Process.from_json(recorded)
    if presence(process) is Presence.ALIVE:
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
