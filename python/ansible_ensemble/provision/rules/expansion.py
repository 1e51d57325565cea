"""Task lists: what a workflow or a stage becomes on a machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ansible_ensemble.provision.objects.content import Stage, Task, Workflow
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.prerequisites import (
    CircularTask,
    MissingPrerequisite,
    Prerequisites,
    tasks_before,
)
from ansible_ensemble.provision.rules.refusal import invalid


def expand_workflow(workflow: Workflow, catalog: Catalog) -> list[str]:
    """The task list of a workflow: each stage with its bootenv, if it has one, and its tasks.

    Raises:
        Refused: a stage or a prerequisite is missing, or a task is its own prerequisite.
    """
    entries = (entry for name in workflow.stages for entry in _stage_entries(workflow, name, catalog))
    return _expand(workflow, entries, catalog)


def expand_stage(stage: Stage, catalog: Catalog) -> list[str]:
    """The task list of a stage that a machine is in without a workflow.

    Raises:
        Refused: a prerequisite is missing, or a task is its own prerequisite.
    """
    return _expand(stage, stage.tasks, catalog)


def prerequisites_in(catalog: Catalog) -> Prerequisites:
    """The prerequisites of the tasks in a catalog."""

    def prerequisites(name: str) -> Sequence[str] | None:
        task = catalog.get(Task, name)
        return None if task is None else task.prerequisites

    return prerequisites


def with_prerequisites(entries: Iterable[str], catalog: Catalog) -> Iterator[str]:
    """The entries, with what tasks among them want to have run before: once in each bootenv.

    Raises:
        CircularTask: a task is its own prerequisite.
        MissingPrerequisite: a prerequisite is not there.
    """
    seen: set[str] = set()
    current = ""
    for entry in entries:
        prefix, value = split_entry(entry)
        if prefix == "bootenv" and value != current:  # what ran before is lost with the system it ran in
            current, seen = value, set()
        fresh = [] if prefix else [task for task in tasks_before(entry, prerequisites_in(catalog)) if task not in seen]
        seen.update(fresh, () if prefix else (entry,))
        yield from (*fresh, entry)


def _stage_entries(workflow: Workflow, name: str, catalog: Catalog) -> Iterator[str]:
    stage = catalog.get(Stage, name)
    if stage is None:
        raise invalid(f"Stage {name} does not exist", model=workflow.PREFIX, key=workflow.key)
    yield f"stage:{name}"
    # Also where the machine is in that bootenv already: the list is the same for every machine.
    if stage.boot_env:
        yield f"bootenv:{stage.boot_env}"
    yield from stage.tasks


def _expand(owner: Workflow | Stage, entries: Iterable[str], catalog: Catalog) -> list[str]:
    try:
        return list(with_prerequisites(entries, catalog))
    except (CircularTask, MissingPrerequisite) as error:
        raise invalid(str(error), model=owner.PREFIX, key=owner.key) from None
