"""A pool of machines, from which they are allocated and to which they come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ansible_ensemble.provision.objects.base import Object, Record, Reference, Whole

#: The pool of machines that are in no other.
DEFAULT_POOL = "default"


class PoolActions(Record, frozen=True, kw_only=True):
    """What is done to a machine that moves into, within or out of a pool."""

    workflow: str = ""
    add_profiles: list[str] = []
    add_parameters: dict[str, Any] = {}
    remove_profiles: list[str] = []
    remove_parameters: list[str] = []


class PoolAutoFill(Record, frozen=True, kw_only=True):
    """How many free machines a pool is to have, and from and to which pools they come and go."""

    use_auto_fill: bool = False
    min_free: Whole = 0
    max_free: Whole = 0
    create_parameters: dict[str, Any] = {}
    acquire_pool: str = ""
    return_pool: str = ""


class Pool(Object, frozen=True, kw_only=True):
    """A pool; which machines are in it, they say themselves.

    Attributes:
        parent_pool: where machines go that leave it; empty for the default one.
    """

    PREFIX: ClassVar[str] = "pools"
    SUMMARY: ClassVar[str] = "what machines are allocated from"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Id", "ParentPool", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("profiles", "workflows", "pools")
    TITLE: ClassVar[str] = "Pool"
    KEY: ClassVar[str] = "identifier"
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "status",
        "addMachines",
        "removeMachines",
        "allocateMachines",
        "releaseMachines",
    )

    identifier: str = ""
    description: str = ""
    documentation: str = ""
    parent_pool: str = ""
    enter_actions: PoolActions = PoolActions()
    exit_actions: PoolActions = PoolActions()
    allocate_actions: PoolActions = PoolActions()
    release_actions: PoolActions = PoolActions()
    auto_fill: PoolAutoFill = PoolAutoFill()

    def references(self) -> Iterator[Reference]:
        """Other pools, and the workflows and profiles of its actions."""
        fill = self.auto_fill
        yield from (("pools", name) for name in (self.parent_pool, fill.acquire_pool, fill.return_pool) if name)
        for actions in (self.enter_actions, self.exit_actions, self.allocate_actions, self.release_actions):
            yield from (("workflows", name) for name in (actions.workflow,) if name)
            yield from (("profiles", name) for name in actions.add_profiles)


class PoolResult(Record, frozen=True, kw_only=True):
    """A machine as it is in its pool."""

    name: str
    uuid: str
    allocated: bool
    status: str
