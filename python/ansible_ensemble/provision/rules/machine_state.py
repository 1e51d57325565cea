"""What follows from the fields of a machine: what the server computes of it after each change."""

from __future__ import annotations

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.availability import validated
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.features import flagged_machine
from ansible_ensemble.provision.rules.pools import arrived


def settled(machine: Machine, catalog: Catalog) -> Machine:
    """The machine with all that is computed: flags, completion, errors; not runnable unless it is available.

    It is called after each change of the machine, and when what the machine names appears, changes or goes.
    """
    checked = validated(counted(flagged_machine(machine, catalog)), catalog)
    return checked if checked.available else checked.replaced(runnable=False)


def counted(machine: Machine) -> Machine:
    """The machine with whether its workflow is complete; it is enough where only its place in the list changed."""
    return arrived(machine.replaced(workflow_complete=is_complete(machine)))


def is_complete(machine: Machine) -> bool:
    """Whether nothing is left in the task list; in an empty one, nothing is.

    An empty list is complete, even if no agent has found out yet: then CurrentTask is still -1.
    """
    return machine.current_task >= len(machine.tasks) or not machine.tasks
