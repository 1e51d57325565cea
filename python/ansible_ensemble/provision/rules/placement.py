"""Where in its task list a machine is, and what follows from that: its stage, bootenv and context."""

from __future__ import annotations

from ansible_ensemble.provision.objects.content import BootEnv, Stage
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.catalog import Catalog

#: What the Stage field of a machine without a stage says.
NO_STAGE = "none"
#: Prefixes of the entries that change the machine itself, instead of being run.
PLACES = frozenset({"stage", "bootenv", "context"})


def base_context(machine: Machine) -> str:
    """The context that the machine's task list starts in: `BaseContext` of its Meta."""
    return machine.meta.get("BaseContext", "")


def is_place(entry: str) -> bool:
    """Whether an entry changes where the machine is, instead of being run."""
    return split_entry(entry)[0] in PLACES


def in_bootenv(machine: Machine, name: str, catalog: Catalog) -> Machine:
    """The machine in a bootenv: not runnable until it has booted, if that is another one.

    Entering an installer (`*-install`) sets the operating system of the machine.
    """
    if name == machine.boot_env:
        return machine
    bootenv = catalog.get(BootEnv, name)
    installed = bootenv.os.name if bootenv and name.endswith("-install") else ""
    return machine.replaced(boot_env=name, runnable=False, os=installed or machine.os)


def at_entry(machine: Machine, entry: str, catalog: Catalog) -> Machine:
    """The machine after an entry `stage:`, `bootenv:` or `context:`; unchanged after others."""
    prefix, value = split_entry(entry)
    if prefix == "stage":
        return machine.replaced(stage=value)
    if prefix == "context":
        return machine.replaced(context=value)
    return in_bootenv(machine, value, catalog) if prefix == "bootenv" else machine


def placed(machine: Machine, index: int, catalog: Catalog) -> Machine:
    """The machine as its task list has it when the entry at an index ran or runs; -1 is before the first.

    The last entries of their kind up to there decide, and a stage that the list begins with; without one, stage and
    bootenv stay, and the context is the base one.
    """
    changed = placed_in_bootenv(machine, index, catalog)
    return at_entry(changed, _last_places(machine, index).get("bootenv", ""), catalog)


def placed_in_bootenv(machine: Machine, index: int, catalog: Catalog) -> Machine:
    """The machine as `placed` has it, in the bootenv that it is in; for places that its bootenv allows."""
    last = _last_places(machine, index)
    changed = machine.replaced(context=base_context(machine))
    for prefix in ("stage", "context"):
        changed = at_entry(changed, last.get(prefix, ""), catalog)
    return changed


def _last_places(machine: Machine, index: int) -> dict[str, str]:
    """The last entry of each prefix up to an index."""
    first = [entry for entry in machine.tasks[:1] if split_entry(entry)[0] == "stage"]
    return {split_entry(entry)[0]: entry for entry in first + machine.tasks[: index + 1]}


def start_of_segment(machine: Machine, catalog: Catalog) -> int:
    """How far the machine can go back in its task list without another bootenv.

    That is the earliest entry, back from the current one, of a stage whose bootenv is the machine's; stages without
    a bootenv are in that of what is before them. -1 where no bootenv is ever named.
    """
    start = -1
    latest = min(machine.current_task, len(machine.tasks) - 1)
    for index in range(latest, -1, -1):
        wanted = _bootenv_of(machine.tasks[index], catalog)
        if wanted and wanted != machine.boot_env:
            # Nothing that is certain to be of this bootenv: it stays where it is.
            return start if start >= 0 else latest
        if wanted:
            start = index
    return start


def _bootenv_of(entry: str, catalog: Catalog) -> str:
    prefix, value = split_entry(entry)
    if prefix == "stage":
        stage = catalog.get(Stage, value)
        return stage.boot_env if stage else ""
    return value if prefix == "bootenv" else ""
