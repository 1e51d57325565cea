"""Feature flags: a comma list in an object's Meta that changes behaviour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.catalog import Catalog

FLAGS = "feature-flags"

#: Without it, agents set a machine runnable at their start, whoever paused it.
CHANGE_STAGE = "change-stage-v2"
SANE_EXIT_CODES, ORIGINAL_EXIT_CODES = "sane-exit-codes", "original-exit-codes"

Flagged = TypeVar("Flagged", bound=Object)


def flags_of(owner: Object | None) -> list[str]:
    """The feature flags of an object; none where there is no object."""
    flags = owner.meta.get(FLAGS, "").split(",") if owner else []
    return [flag.strip() for flag in flags if flag.strip()]


def with_flags(owner: Flagged, flags: Iterable[str]) -> Flagged:
    """The object with these feature flags, each once."""
    return owner.replaced(meta={**owner.meta, FLAGS: ",".join(dict.fromkeys(flags))})


def flagged_machine(machine: Machine, catalog: Catalog) -> Machine:
    """The machine with the flags that every machine has, and those of its bootenv and stage."""
    bootenv, stage = catalog.get(BootEnv, machine.boot_env), catalog.get(Stage, machine.stage)
    return with_flags(machine, [CHANGE_STAGE, *flags_of(bootenv), *flags_of(stage)])


def flagged_task(made: Flagged) -> Flagged:
    """A new object; the exit codes of a task are the sane ones, unless it has the original ones."""
    flags = flags_of(made)
    if not isinstance(made, Task) or ORIGINAL_EXIT_CODES in flags:
        return made
    return with_flags(made, [*flags, SANE_EXIT_CODES])
