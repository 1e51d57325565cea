"""A machine that is driven through stages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from ansible_ensemble.provision.objects.base import Object, Reference, Whole
from ansible_ensemble.provision.objects.names import NAME_OR_NUMBER
from ansible_ensemble.provision.objects.parts import Fingerprint, TaskErrorStack, entry_references


class Machine(Object, frozen=True, kw_only=True):
    """A machine, what it is to run, and how far it came.

    Attributes:
        uuid: its key, made at creation.
        current_job: the UUID of the latest job; empty before the first.
        tasks: the task list: names of tasks, and entries `stage:`, `bootenv:`, `context:`, `action:`, `chroot:`.
        current_task: the index in `tasks` of what runs or ran last; -1 before the first.
        runnable: whether an agent may ask for its next job.
        secret: what tokens of the machine are bound to; another secret makes them invalid.
        context: where its tasks run now; empty on the machine itself.
        retry_task_attempt: how often the current task was retried.
        workflow_complete: whether the task list is done; the server computes it.
        partial: whether fields were left out of an answer.
    """

    PREFIX: ClassVar[str] = "machines"
    SUMMARY: ClassVar[str] = "what is driven through workflows"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Workflow", "Stage", "Task", "Progress", "State", "Address")
    REFERS: ClassVar[tuple[str, ...]] = ("params", "tasks", "profiles", "bootenvs", "stages", "workflows")
    NAMES: ClassVar[re.Pattern[str]] = NAME_OR_NUMBER
    ACTIONS: ClassVar[tuple[str, ...]] = ("token", "getSecure")
    KEY: ClassVar[str] = "uuid"
    UNIQUE: ClassVar[tuple[str, ...]] = ("Name",)
    PROOFS: ClassVar[frozenset[str]] = frozenset({"Secret"})
    COMPUTED: ClassVar[frozenset[str]] = Object.COMPUTED | {"WorkflowComplete", "CurrentJob", "Partial"}

    name: str = ""
    description: str = ""
    uuid: str = ""
    current_job: str = ""
    address: str = ""
    stage: str = ""
    boot_env: str = ""
    profiles: list[str] = []
    params: dict[str, Any] = {}
    tasks: list[str] = []
    current_task: Whole = 0
    retry_task_attempt: Whole = 0
    task_error_stacks: list[TaskErrorStack] = []
    runnable: bool = False
    secret: str = ""
    os: str = ""
    hardware_addrs: list[str] = []
    workflow: str = ""
    arch: str = ""
    locked: bool = False
    context: str = ""
    fingerprint: Fingerprint = Fingerprint()
    pool: str = ""
    pool_allocated: bool = False
    pool_status: str = ""
    workflow_complete: bool = False
    partial: bool = False

    def references(self) -> Iterator[Reference]:
        """Its stage, bootenv, workflow, profiles and tasks, and the definitions of its params."""
        named = (("stages", self.stage), ("bootenvs", self.boot_env), ("workflows", self.workflow))
        yield from (reference for reference in named if reference[1])
        yield from (("profiles", name) for name in self.profiles)
        yield from (("params", name) for name in self.params)
        yield from entry_references(self.tasks)
