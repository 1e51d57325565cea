"""Setting, changing and removing the workflow of a machine."""

from __future__ import annotations

from ansible_ensemble.provision.objects.content import Stage, Workflow
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.control import not_handled
from ansible_ensemble.provision.rules.expansion import expand_workflow
from ansible_ensemble.provision.rules.placement import NO_STAGE, base_context, in_bootenv
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.rules.task_list import restarted


def with_workflow(machine: Machine, name: str, catalog: Catalog) -> Machine:
    """The machine at the beginning of a workflow, whatever it did before.

    It is in the first stage at once, and in that one's bootenv, so that it boots that one next. A job that is running
    may still end; the next one is the first of the new list.

    Raises:
        Refused: 422; the workflow is missing or not available.
    """
    workflow = catalog.get(Workflow, name)
    if workflow is None:
        raise invalid(f"Workflow {name} does not exist", model=machine.PREFIX, key=machine.key)
    if not workflow.available:
        message = f"Machine {machine.uuid} wants Workflow {name}, which is not available"
        raise invalid(message, model=machine.PREFIX, key=machine.key)
    begun = with_list(machine, expand_workflow(workflow, catalog)).replaced(workflow=name)
    first = catalog.get(Stage, workflow.stages[0]) if workflow.stages else None
    if first is None:
        return begun
    staged = begun.replaced(stage=first.name)
    return in_bootenv(staged, first.boot_env, catalog) if first.boot_env else staged


def without_workflow(machine: Machine) -> Machine:
    """The machine without its workflow: without stage and tasks too, in the bootenv that it is in."""
    return with_list(machine, []).replaced(workflow="", stage=NO_STAGE)


def with_list(machine: Machine, tasks: list[str]) -> Machine:
    """The machine before the beginning of another task list, in its base context."""
    return not_handled(restarted(machine, -1)).replaced(
        tasks=tasks, task_error_stacks=[], context=base_context(machine)
    )
