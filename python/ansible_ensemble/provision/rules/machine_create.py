"""A new machine: what the server fills in."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.pool import DEFAULT_POOL
from ansible_ensemble.provision.rules.availability import all_errors, refuse_errors, refuse_invalid
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.machine_state import settled
from ansible_ensemble.provision.rules.placement import NO_STAGE, base_context
from ansible_ensemble.provision.rules.pools import FREE
from ansible_ensemble.provision.rules.stage_edit import with_stage
from ansible_ensemble.provision.rules.workflow_edit import with_workflow


def created_machine(
    asked: Machine, catalog: Catalog, preferences: Mapping[str, str], *, uuid: str, secret: str, force: bool = False
) -> Machine:
    """The machine that a request to create one makes.

    Its stage, bootenv and workflow are by default those of the preferences. It is runnable, unless it cannot be
    used, and has run nothing.

    Args:
        asked: what the request says.
        catalog: what it may name.
        preferences: the settings of the server.
        uuid: its key, where the request names none.
        secret: its secret, where the request names none.
        force: create it even though it names what is not there or not available, other than stage and workflow.

    Raises:
        Refused: 422; it has errors.
    """
    filled = _with_defaults(asked, preferences).replaced(uuid=asked.uuid or uuid, secret=asked.secret or secret)
    with all_errors(None, filled, catalog):
        started = _started(filled.replaced(context=base_context(filled)), catalog)
    made = settled(started.replaced(runnable=True), catalog)
    refuse_invalid(made)
    if not force:
        refuse_errors(None, made)
    return made


def _with_defaults(asked: Machine, preferences: Mapping[str, str]) -> Machine:
    return asked.replaced(
        stage=asked.stage or preferences.get("defaultStage") or NO_STAGE,
        boot_env=asked.boot_env or preferences.get("defaultBootEnv") or "local",
        workflow=asked.workflow or preferences.get("defaultWorkflow") or "",
        arch=asked.arch or "amd64",
        pool=asked.pool or DEFAULT_POOL,
        pool_status=asked.pool_status or FREE,
        current_job="",
        retry_task_attempt=0,
        task_error_stacks=[],
        partial=False,
        read_only=False,
    )


def _started(machine: Machine, catalog: Catalog) -> Machine:
    """The machine at the beginning of the task list of its workflow, its own, or else of its stage."""
    if machine.workflow:
        return with_workflow(machine, machine.workflow, catalog)
    if machine.tasks:
        return machine.replaced(current_task=-1)
    staged = with_stage(machine, machine.stage, catalog)
    return staged if staged.tasks else staged.replaced(current_task=0)
