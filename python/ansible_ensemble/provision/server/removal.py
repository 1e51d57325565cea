"""The removal of many jobs, in transactions that hold up nobody."""

from __future__ import annotations

from collections.abc import Callable

from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.service import jobs
from ansible_ensemble.provision.store.transaction import Reader, Store, Transaction

#: How many jobs one transaction removes.
AT_ONCE = 100


async def remove_jobs(
    store: Store,
    find: Callable[[Reader], list[str]],
    principal: str,
    *,
    but_current: bool = False,
    admit: Callable[[Reader], object] = lambda _value: None,
) -> list[Job]:
    """Remove jobs that are over.

    Args:
        store: where they are.
        find: finds their UUIDs.
        principal: who removes them.
        but_current: whether those stay that their machines are at.
        admit: raises what refuses it; it is asked in each transaction.

    Returns:
        What was removed.
    """

    def admitted(reader: Reader) -> list[str]:
        admit(reader)
        return find(reader)

    found, removed = await store.read(admitted), list[Job]()
    for start in range(0, len(found), AT_ONCE):
        some = found[start : start + AT_ONCE]

        def remove(tx: Transaction, some: list[str] = some) -> list[Job]:
            admit(tx)
            return jobs.purge(tx, some, but_current=but_current)

        removed += await store.transact(remove, principal)
    return removed
