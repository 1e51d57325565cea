"""Recover: record the journals that killed jobs left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.engine.journal_entries import JobStarted
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import options_of_job, remove_secret_inputs
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.execution.journal import JournalReading, read_journal
from ansible_ensemble.projects.folders import PLANNED, remove_unfinished
from ansible_ensemble.projects.process import Presence, presence
from ansible_ensemble.records.job_journal import Folded, read_job_journal
from ansible_ensemble.records.journals import (
    close_journal,
    is_empty,
    job_of_journal,
    open_journals,
    put_aside,
)
from ansible_ensemble.records.record import record_journal


def record_killed(location: Location, options: JobOptions) -> list[tuple[str, dict[str, Any]]]:
    """Record the jobs that were killed, oldest first; the lock must be held.

    Returns:
        For each, a message and its report; an empty one of a job that did nothing.

    Raises:
        Locked: a job that lost its lock still runs.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    try:
        for one in _record_each(location, options):
            found.append(one)
    except EnsembleError as error:
        error.hint = "; ".join(filter(None, (error.hint, *(text.removesuffix(".") for text, _other in found)))) or None
        raise
    return found


def _record_each(location: Location, options: JobOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    unread: list[EnsembleError] = []
    journals = open_journals(location.ensemble.parent)
    for journal in journals:
        try:
            reading = read_journal(journal)
            if is_empty(reading):
                yield from _set_aside(journal, reading)
                continue
            folded = read_job_journal(journal)
        except EnsembleError as error:  # the others are recorded first
            unread.append(error)
            continue
        _check_gone(folded)
        problems: list[str] = []
        if folded.is_out:
            from ansible_ensemble.records.collect import collect  # it carries something out

            ensemble, own = read_for(location, folded.header, options)
            problems = collect(ensemble, own, folded, journal)
            folded = read_job_journal(journal)
        names = ", ".join(begun.key for begun in folded.interrupted if begun.implementation)
        text = f"Job {folded.header.job} was killed; what it did is recorded now."
        report = record_journal(read_for(location, folded.header, options)[0], journal)
        yield " ".join((text, *([f"Interrupted: {names}."] if names else []), *problems)), report
    if unread:
        raise unread[0]
    if journals:  # nobody else needs the secrets that these were given
        remove_secret_inputs(location.ensemble.parent / PLANNED)
    remove_unfinished(location.ensemble, records=bool(journals))


def _set_aside(journal: Path, reading: JournalReading) -> list[tuple[str, dict[str, Any]]]:
    """Remove the journal of a job that was killed before it began; returns a message if it is torn."""
    if not reading.damage:
        close_journal(journal)
        return []
    aside = put_aside(journal)
    text = f"Job {job_of_journal(journal)} died before it began and did nothing; its torn journal is now {aside.name}."
    return [(text, {})]


def read_for(location: Location, header: JobStarted, options: JobOptions) -> tuple[Ensemble, JobOptions]:
    """The ensemble as a killed job saw it: with its inputs, its environment and, if it rolled back, its specification.

    The options are those that it was read with.

    The options of this call are used for what is not recorded, and if those of the job do not fit the files any more.
    """
    try:
        given = {"vault": options.open_vault(), "mesh": options.mesh, "session": options.session}
        own = options_of_job(header.options, given, location.ensemble.parent / PLANNED)
        return read_ensemble(location, own), own
    except EnsembleError:
        return read_ensemble(location, options), options


def _check_gone(folded: Folded) -> None:
    """Refuse to go on while a job without its lock still runs operations and writes its journal."""
    process = folded.header.carried_out_by
    if process is not None and presence(process) is Presence.ALIVE:
        raise Locked(
            f"job {folded.header.job} is still running without its lock: process {process.pid} ends its operations",
            hint="try again later",
        )
