"""What is wrong with a machine: problems, for which it is refused, and what it lacks to be available."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.content import BootEnv
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.names import problems_of_uuid
from ansible_ensemble.provision.objects.parts import entry_references
from ansible_ensemble.provision.rules.architecture import problem_of_architecture
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.entry_checks import duplicates, missing, problems_of_entries
from ansible_ensemble.provision.rules.parameters import problems_of_params
from ansible_ensemble.provision.rules.template_checks import SyntaxCheck

_HARDWARE_ADDRESS = re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5,19}")


def problems_of_machine(machine: Machine, _catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    """A machine has a name, and addresses and an architecture that clients can read."""
    if not machine.NAMES.fullmatch(machine.name):
        yield f"Invalid Name `{machine.name}`"
    yield from problems_of_uuid("Uuid", machine.uuid)
    if machine.address and not _is_address(machine.address):
        yield f"Invalid Address `{machine.address}`"
    yield from (f"Invalid HardwareAddrs `{one}`" for one in machine.hardware_addrs if not _is_hardware_address(one))
    if problem := problem_of_architecture(machine.arch):
        yield problem
    yield from problems_of_entries(machine.tasks)
    yield from duplicates("profile", machine.profiles)


def lacks_of_machine(machine: Machine, catalog: Catalog) -> Iterator[str]:
    """A machine lacks what it names that is not there, and what it is in that is not available."""
    wanted = (("stages", machine.stage), ("bootenvs", machine.boot_env), ("workflows", machine.workflow))
    named = [reference for reference in wanted if reference[1]]
    profiles = [("profiles", name) for name in machine.profiles]
    yield from missing(dict.fromkeys([*named, *profiles, *entry_references(machine.tasks)]), catalog)
    for prefix, key in named:
        found: Object | None = catalog.get(KINDS[prefix], key)
        if found and not found.available:
            yield f"Machine {machine.uuid} wants {KINDS[prefix].TITLE} {key}, which is not available"
    bootenv = catalog.get(BootEnv, machine.boot_env)
    if bootenv and bootenv.only_unknown:
        yield f"Bootenv {bootenv.name} is for unknown machines only"
    yield from problems_of_params(machine.params, catalog)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_hardware_address(text: str) -> bool:
    return bool(_HARDWARE_ADDRESS.fullmatch(text))
