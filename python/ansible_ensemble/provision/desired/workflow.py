"""A machine at the beginning of a workflow, or on its way through it again."""

from __future__ import annotations

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.desired.change import Change, bring
from ansible_ensemble.provision.desired.object_api import ObjectApi
from ansible_ensemble.provision.desired.wanted import Wanted
from ansible_ensemble.provision.objects.machine import Machine


async def give(api: ObjectApi, machine: Machine, workflow: str, *, anew: bool = False) -> Machine:
    """Give a machine a workflow, which it begins unless it has it already; `anew` has it begin in any case."""
    for wanted in ("", workflow) if anew else (workflow,):
        if machine.workflow != wanted:
            operation = {"op": "replace", "path": "/Workflow", "value": wanted}
            given = await api.patch(machine, [operation], False)
            assert isinstance(given, Machine)
            machine = given
    return machine


async def start(
    api: ObjectApi, machine: str, workflow: str | None = None, *, restart: bool = False, resume: bool = False
) -> Change:
    """Have a machine run a workflow.

    Args:
        api: the server.
        machine: its name.
        workflow: the workflow; by default, the one that it has.
        restart: begin the workflow anew, however far the machine is.
        resume: make the machine runnable again, so that a failed task is tried again. A machine that has just been
            given the workflow is not: it may have to boot before it runs anything.
    """
    before = await bring(api, Wanted(Machine, f"Name:{machine}"), create=False)
    now = before.after
    assert isinstance(now, Machine)
    name = now.workflow if workflow is None else workflow
    if not name:
        raise EnsembleError(f"machine {machine} has no workflow", hint="say which one it is to run")
    if now.workflow != name or restart:
        after = await give(api, now, name, anew=now.workflow == name)
    elif resume and not now.runnable and not now.workflow_complete:
        return await bring(api, Wanted(Machine, f"Name:{machine}", {"Runnable": True}))
    else:
        after = now
    return Change(now, after, before.secure)
