"""How machines move into pools, within them, and out of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.pool import DEFAULT_POOL, Pool, PoolActions

#: The status of a machine that can be allocated.
FREE = "Free"


class Move(Struct, frozen=True):
    """A move of machines.

    Attributes:
        status: of the machines that it is for.
        during: their status until the workflow is complete that it gives them.
        actions: the attribute of a pool that has what is done to them.
    """

    status: str
    during: str
    actions: str


#: The moves by the name of the request; between pools both change, within one whether a machine is allocated.
MOVES: Mapping[str, Move] = MappingProxyType(
    {
        "addMachines": Move(FREE, "Joining", "enter_actions"),
        "removeMachines": Move(FREE, "Leaving", "exit_actions"),
        "allocateMachines": Move(FREE, "Building", "allocate_actions"),
        "releaseMachines": Move("InUse", "Destroying", "release_actions"),
    }
)

#: The status after one that lasts until a workflow is complete.
_AFTER = {"Joining": FREE, "Leaving": FREE, "Building": "InUse", "Destroying": FREE}


def moved(machine: Machine, move: str, pool: Pool, asked: PoolActions) -> Machine:
    """The machine as a request to move it wants it; its workflow is yet to be made into its task list.

    Args:
        machine: in the pool, or, if it is added, in another one.
        move: one of `MOVES`.
        pool: which it comes to, is in, or leaves.
        asked: what the request wants to be done, before what the pool wants.
    """
    about = MOVES[move]
    actions: PoolActions = getattr(pool, about.actions)
    removed = {*actions.remove_profiles, *asked.remove_profiles}
    profiles = [*machine.profiles, *actions.add_profiles, *asked.add_profiles]
    params = {**machine.params, **actions.add_parameters, **asked.add_parameters}
    for name in (*actions.remove_parameters, *asked.remove_parameters):
        params.pop(name, None)
    going = move == "removeMachines"
    return machine.replaced(
        pool=(pool.parent_pool or DEFAULT_POOL) if going else pool.identifier,
        pool_allocated=move == "allocateMachines",
        pool_status=about.during,
        workflow=asked.workflow or actions.workflow or machine.workflow,
        profiles=[name for name in dict.fromkeys(profiles) if name not in removed],
        params=params,
    )


def arrived(machine: Machine) -> Machine:
    """The machine, with the status after a move if nothing of its workflow is left."""
    after = _AFTER.get(machine.pool_status)
    return machine.replaced(pool_status=after) if after and machine.workflow_complete else machine
