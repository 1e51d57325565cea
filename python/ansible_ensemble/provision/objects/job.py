"""A job: one task on one machine, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ansible_ensemble.provision.objects.base import ZERO_TIME, Object, Record, Whole
from ansible_ensemble.provision.objects.names import problems_of_uuid
from ansible_ensemble.provision.objects.parts import Claim

STATES = ("created", "running", "failed", "finished", "incomplete")
EXIT_STATES = ("", "reboot", "poweroff", "stop", "complete", "failed")

#: The predecessor of a machine's first job.
NO_JOB = "00000000-0000-0000-0000-000000000000"


class Job(Object, frozen=True, kw_only=True):
    """One run of a task on a machine; the jobs of a machine form a chain.

    Attributes:
        previous: the UUID of the machine's job before; `NO_JOB` for the first.
        state: one of `STATES`; kept as text, so that a wrong one can be told from broken JSON.
        exit_state: one of `EXIT_STATES`.
        current: whether it is the latest job of its machine.
        current_index: the index of its entry in the machine's task list.
        next_index: the index after it.
        archived: whether its log was moved away.
        extra_claims: what its token allows beyond what the machine may do.
        token: the token for its scripts, in the answer that creates it alone.
    """

    PREFIX: ClassVar[str] = "jobs"
    SUMMARY: ClassVar[str] = "what ran on machines"
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "Uuid",
        "MachineName",
        "Stage",
        "Task",
        "State",
        "ExitState",
        "StartTime",
        "Duration",
    )
    ACTIONS: ClassVar[tuple[str, ...]] = ("actions", "log")
    KEY: ClassVar[str] = "uuid"
    INDEXED: ClassVar[tuple[str, ...]] = ("Machine",)

    uuid: str = ""
    previous: str = NO_JOB
    machine: str = ""
    task: str = ""
    stage: str = ""
    context: str = ""
    state: str = ""
    exit_state: str = ""
    start_time: str = ZERO_TIME
    end_time: str = ZERO_TIME
    archived: bool = False
    current: bool = False
    current_index: Whole = 0
    next_index: Whole = 0
    workflow: str = ""
    boot_env: str = ""
    extra_claims: list[Claim] = []
    token: str = ""

    def problems(self) -> Iterator[str]:
        """Clients read UUIDs and the states that there are."""
        yield from problems_of_uuid("Uuid", self.uuid)
        if self.state not in STATES:
            yield f"Invalid State `{self.state}`"
        if self.exit_state not in EXIT_STATES:
            yield f"Invalid ExitState `{self.exit_state}`"


class JobAction(Record, frozen=True, kw_only=True):
    """A rendered template of a job's task: a file where it has a path, else a script."""

    name: str
    path: str
    content: str
    meta: dict[str, str] | None = None
