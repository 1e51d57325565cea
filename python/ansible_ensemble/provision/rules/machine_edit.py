"""What a request to change a machine makes of it, or why it is refused."""

from __future__ import annotations

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.availability import all_errors, refuse_errors, refuse_invalid
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.machine_state import settled
from ansible_ensemble.provision.rules.placement import NO_STAGE
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.rules.stage_edit import changed_bootenv, changed_stage
from ansible_ensemble.provision.rules.task_list import with_current_task, with_tasks
from ansible_ensemble.provision.rules.workflow_edit import with_workflow, without_workflow

#: What the request cannot change, beside what the server computes of the machine.
_KEPT = ("uuid", "current_job", "read_only", "bundle", "endpoint", "retry_task_attempt", "task_error_stacks", "partial")


def edited_machine(before: Machine, asked: Machine, catalog: Catalog, force: bool = False) -> Machine:
    """The machine after a request to change it.

    Args:
        before: as it is.
        asked: as the request has it.
        catalog: what it may name.
        force: pass over guards of stage and bootenv, and accept what makes it unavailable.

    Raises:
        Refused: 403, it is locked; 422, a guard or a rule of its fields is against it.
    """
    refuse_locked(before, "PATCH", unlocking=not asked.locked)
    asked = _normalized(before, asked)
    with all_errors(before, asked, catalog):
        placed = _placed_by(before, asked, catalog, force)
    after = settled(placed, catalog)
    refuse_invalid(after)
    if not force:
        refuse_errors(before, after)
    return after


def refuse_locked(machine: Machine, method: str, unlocking: bool = False) -> None:
    """Refuse to change or delete a locked machine."""
    if machine.locked and not unlocking:
        raise Refused(403, "Locked", type=method, model=machine.PREFIX, key=machine.key)


def _normalized(before: Machine, asked: Machine) -> Machine:
    kept = {name: getattr(before, name) for name in _KEPT}
    return asked.replaced(
        **kept,
        stage=asked.stage or NO_STAGE,
        boot_env=asked.boot_env or before.boot_env,
        arch=asked.arch or "amd64",
        secret=asked.secret or before.secret,
    )


def _placed_by(before: Machine, asked: Machine, catalog: Catalog, force: bool) -> Machine:
    """The machine with what was asked, after what follows from it for its task list and its place in that."""
    place = {name: getattr(before, name) for name in ("workflow", "stage", "boot_env", "tasks", "current_task")}
    changed = _in_workflow(asked.replaced(**place), before, asked, catalog)
    changed = _in_stage(changed, before, asked, catalog, force)
    changed = _in_list(changed, before, asked, catalog)
    # A context that the request names stands, whatever the place in the list says.
    return changed if asked.context == before.context else changed.replaced(context=asked.context)


def _in_workflow(changed: Machine, before: Machine, asked: Machine, catalog: Catalog) -> Machine:
    if asked.workflow == before.workflow:
        return changed
    if (asked.tasks, asked.current_task) != (before.tasks, before.current_task):
        message = "Cannot change task list or current task and workflow at the same time"
        raise invalid(message, model=before.PREFIX, key=before.key)
    return with_workflow(changed, asked.workflow, catalog) if asked.workflow else without_workflow(changed)


def _in_stage(changed: Machine, before: Machine, asked: Machine, catalog: Catalog, force: bool) -> Machine:
    for name, title in (("stage", "stage"), ("boot_env", "bootenv")):
        if asked.workflow and getattr(asked, name) != getattr(before, name):
            # Not even by force: the task list alone leads there.
            raise invalid(f"Changing machine {title} not allowed", model=before.PREFIX, key=before.key)
    if asked.stage != before.stage:
        changed = changed_stage(changed, asked.stage, catalog, force)
    if asked.boot_env not in (before.boot_env, changed.boot_env):
        changed = changed_bootenv(changed, asked.boot_env, catalog, force)
    return changed


def _in_list(changed: Machine, before: Machine, asked: Machine, catalog: Catalog) -> Machine:
    other_tasks, other_place = asked.tasks != before.tasks, asked.current_task != before.current_task
    if other_tasks and other_place and asked.current_task != -1:
        message = "Cannot change task list and current task at the same time"
        raise invalid(message, model=before.PREFIX, key=before.key)
    if other_place:
        changed = with_current_task(changed, asked.current_task, catalog)
    return with_tasks(changed, asked.tasks) if other_tasks else changed
