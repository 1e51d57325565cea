"""Failed jobs that are tried again after a while."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.job_end import retried, retry_due
from ansible_ensemble.provision.store.transaction import Reader, Transaction


class Retry(NamedTuple):
    """A failed job that is to be tried again.

    Attributes:
        due: when its machine is to be made runnable.
        machine: its UUID.
        job: its UUID.
    """

    due: datetime
    machine: str
    job: str


def waiting_retries(reader: Reader) -> list[Retry]:
    """All that are to be tried again, the first first; known from what is stored, so also after a restart."""
    stopped = (machine for machine in reader.all(Machine) if machine.current_job and not machine.runnable)
    return sorted(retry for machine in stopped if (retry := _retry(reader, machine)))


def waiting_retry(reader: Reader, machine: str) -> Retry | None:
    """What of a machine is to be tried again."""
    kept = reader.get(Machine, machine)
    return _retry(reader, kept) if kept else None


def try_again(tx: Transaction, retry: Retry, moment: datetime) -> bool:
    """Make a machine runnable when the retry of its failed job is due, unless it went on otherwise meanwhile.

    Returns:
        Whether it is done.
    """
    machine, job = tx.locked(Machine, retry.machine), tx.get(Job, retry.job)
    if machine is None or job is None or _retry(tx, machine) != retry or retry.due > moment:
        return False
    runnable, done = retried(machine, job, tx)
    tx.save(done)
    tx.save(runnable)
    return True


def _retry(reader: Reader, machine: Machine) -> Retry | None:
    job = reader.get(Job, machine.current_job)
    due = retry_due(machine, job)
    return Retry(due, machine.uuid, machine.current_job) if due else None
