"""The ensemble as it is now, with the results of killed and running jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ansible_ensemble.changes.jobs_tsv import FILE_NAME, collisions
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.records.journals import is_empty, job_of_journal, open_journals

if TYPE_CHECKING:
    from ansible_ensemble.records.job_journal import Folded


def read_recovered(location: Location, options: JobOptions, *, write: bool, keep_key: bool = False) -> Ensemble:
    """Read an ensemble with the results of killed jobs; `keep_key` as for `read_ensemble`.

    With `write` the journals are recorded, and the lock must be held; else they are only read.

    Raises:
        Locked: a job that lost its lock still runs.
    """
    if not write:
        return _read_with_begun(location, options, keep_key=keep_key)
    from ansible_ensemble.records.recover import record_killed
    from ansible_ensemble.records.repositories import free_repositories

    messages = [text for text, _other in record_killed(location, options)]
    ensemble = read_ensemble(location, options, keep_key=keep_key, begun=[])
    ensemble.warnings += [*messages, *collided_jobs(location.ensemble.parent), *free_repositories(ensemble)]
    return ensemble


def _read_with_begun(location: Location, options: JobOptions, *, keep_key: bool) -> Ensemble:
    """The ensemble with the results of jobs that run, or were killed and are not recorded."""
    folder = location.ensemble.parent
    journals = open_journals(folder)
    if journals:
        from ansible_ensemble.records.record import fold, given_to
        from ansible_ensemble.state.holder import holder

    begun, messages = _begun(journals)
    ensemble = read_ensemble(location, options, keep_key=keep_key, begun=[given_to(one.header) for one in begun])
    ensemble.warnings += [*messages, *collided_jobs(folder)]
    ensemble.evaluator.environment.plans = True
    for folded in begun:
        fold(folded, ensemble)
        held = holder(location.ensemble) if folded is begun[-1] else None
        if held is None or held.left:
            stands = "was killed and is not recorded yet"
        elif held.guessed:
            stands = "is running, or was killed: the server of the state does not say"
        else:
            stands = "is running"
        ensemble.warnings.append(f"Job {folded.header.job} {stands}.")
    return ensemble


def _begun(journals: list[Path]) -> tuple[list[Folded], list[str]]:
    """The jobs of open journals, and messages about those that cannot be read."""
    begun: list[Folded] = []
    messages: list[str] = []
    for journal in journals:
        from ansible_ensemble.records.job_journal import read_job_journal

        try:
            if not is_empty(read_journal(journal)):
                begun.append(read_job_journal(journal))
        except EnsembleError as error:  # what else is known is shown anyway
            messages.append(f"The job {job_of_journal(journal)} is not included: {error}")
    return begun, messages


def collided_jobs(folder: Path) -> list[str]:
    """Warnings of ids that jobs of two clones share."""
    return [
        f"Two jobs have the id {job}, of clones whose records were merged: what each did is mixed in {FILE_NAME}, and "
        "one's record may be lost. Check the instances, then give the lines of one of them another id."
        for job in collisions(folder / FILE_NAME)
    ]
