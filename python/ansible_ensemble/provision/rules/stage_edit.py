"""Changing the stage and the bootenv of a machine that has no workflow."""

from __future__ import annotations

from ansible_ensemble.provision.objects.content import BootEnv, Stage
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.expansion import expand_stage
from ansible_ensemble.provision.rules.machine_state import is_complete
from ansible_ensemble.provision.rules.placement import NO_STAGE, in_bootenv
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.rules.workflow_edit import with_list


def changed_stage(machine: Machine, name: str, catalog: Catalog, force: bool) -> Machine:
    """The machine after a request for another stage.

    Raises:
        Refused: 422; there is no such stage, or tasks are pending and it is not forced.
    """
    if not is_complete(machine) and not force:
        raise _refused(machine, "Can not change stages with pending tasks unless forced")
    return with_stage(machine, name, catalog)


def with_stage(machine: Machine, name: str, catalog: Catalog) -> Machine:
    """The machine at the beginning of a stage, in its bootenv if it has one.

    Raises:
        Refused: 422; there is no such stage.
    """
    stage = catalog.get(Stage, name)
    if stage is None:
        raise _refused(machine, f"Stage {name} does not exist")
    staged = with_list(machine, expand_stage(stage, catalog)).replaced(stage=name)
    return in_bootenv(staged, stage.boot_env, catalog) if stage.boot_env else staged


def changed_bootenv(machine: Machine, name: str, catalog: Catalog, force: bool) -> Machine:
    """The machine after a request for another bootenv.

    Raises:
        Refused: 422; there is no such bootenv, or the machine is in a stage and it is not forced.
    """
    if catalog.get(BootEnv, name) is None:
        raise _refused(machine, f"Bootenv {name} does not exist")
    if machine.stage != NO_STAGE and not force:
        old = machine.boot_env
        raise _refused(machine, f"Can not change bootenv while in a stage unless forced. old: {old} new {name}")
    return in_bootenv(machine, name, catalog)


def _refused(machine: Machine, message: str) -> Refused:
    return invalid(message, model=machine.PREFIX, key=machine.key)
