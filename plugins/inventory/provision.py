# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory plugin ``tosca.ensemble.provision``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: provision
short_description: Machines of a server of machines as hosts
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Makes a host of each machine, and groups of workflows, stages, bootenvs, pools and profiles, such as
    C(workflow_install), C(stage_prepare), C(bootenv_local), C(pool_default) and C(profile_rack_1); and the groups
    C(runnable), C(paused) and C(complete).
  - Where a machine has an address, that is C(ansible_host).
  - C(provision_machine) holds the machine's fields, by the names of the wire and without secrets, C(provision_params)
    its params. Each param is a variable as well, with C(_) in the place of what a variable's name cannot have; one
    whose name Ansible reserves, such as C(port), or whose variable another param has, is only in C(provision_params).
  - The file's name ends with C(provision.yml) or C(provision.yaml).
extends_documentation_fragment:
  - tosca.ensemble.provision.plugin
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description: Marks the file as a source for this plugin.
    type: str
    required: true
    choices: [tosca.ensemble.provision]
  filters:
    description:
      - Which machines are hosts, by fields, as in O(tosca.ensemble.provision_info#module:filters).
    type: dict
    default: {}
  params:
    description:
      - Which params are variables.
      - V(aggregate) are all that a machine has, from its profiles and its stage too, V(own) are its own, V(none) is
        none.
    type: str
    choices: [aggregate, own, none]
    default: aggregate
  secure:
    description:
      - Whether secure params are among them, open; for users with the claim C(getSecure).
      - Nothing is cached then.
    type: bool
    default: false
"""

EXAMPLES = r"""
# machines.provision.yml; ansible-inventory -i machines.provision.yml --graph
plugin: tosca.ensemble.provision
endpoint: https://provision.example:8092

# what follows may be left out: some of the machines, with groups and variables of one's own
filters:
  Pool: web
  Workflow: [install, update]
params: own
keyed_groups:
  - prefix: arch
    key: provision_machine.Arch
groups:
  broken: not provision_machine.Available
compose:
  ansible_user: "'admin'"
"""

import re
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.vars.reserved import is_reserved_name
from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION, server_of
from ansible_collections.tosca.ensemble.plugins.plugin_utils.listed import listed_plainly
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import MACHINES, EnsembleFailure, package

#: Groups by fields that hold one name; those of a list, and of truths, are made apart.
_GROUPED = {"workflow": "Workflow", "stage": "Stage", "bootenv": "BootEnv", "pool": "Pool"}

Host = dict[str, Any]


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """Reads machines through the package."""

    NAME = "tosca.ensemble.provision"

    def verify_file(self, path: str) -> bool:
        """Whether the file is meant for this plugin."""
        return bool(super().verify_file(path)) and path.endswith(("provision.yml", "provision.yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Add the machines to the inventory."""
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        for host in self._hosts(path, cache):
            self._add(host)

    def _hosts(self, path: str, cache: bool) -> list[Host]:
        """The machines, those of the cache if they are there and wanted."""
        if not self.get_option("cache") or self.get_option("secure"):
            return self._asked()
        key = self.get_cache_key(path)
        if not cache or key not in self._cache:
            self._cache[key] = self._asked()
        hosts: list[Host] = self._cache[key]
        return hosts

    def _asked(self) -> list[Host]:
        filters, params, secure = (self.get_option(name) for name in ("filters", "params", "secure"))
        try:
            with package(MACHINES) as facade:
                server = server_of(facade, {name: self.get_option(name) for name in CONNECTION})
                found: list[Host] = facade.hosts(server, filters, aggregate=params == "aggregate", secure=secure)
        except EnsembleFailure as failure:
            raise AnsibleParserError(failure.text) from failure
        return found if params != "none" else [{**host, "params": {}} for host in found]

    def _add(self, host: Host) -> None:
        machine, params = host["machine"], host["params"]
        name = machine["Name"]
        self.inventory.add_host(name)
        for variable, value in {**_variables(params), **_own(machine, params)}.items():
            self.inventory.set_variable(name, variable, listed_plainly(value, self.templar))
        for group in _groups(machine):
            self.inventory.add_child(self.inventory.add_group(self._sanitize_group_name(group)), name)
        self._construct(name)

    def _construct(self, host: str) -> None:
        strict = self.get_option("strict")
        variables = self.inventory.get_host(host).get_vars()
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        variables = self.inventory.get_host(host).get_vars()
        for composed in {*self.get_option("compose")} & {*variables}:
            self.inventory.set_variable(host, composed, listed_plainly(variables[composed], self.templar))
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)


def _own(machine: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """What is said of a machine beside its params."""
    address = {"ansible_host": machine["Address"]} if machine["Address"] else {}
    return {"provision_machine": machine, "provision_params": params, **address}


def _variables(params: dict[str, Any]) -> dict[str, Any]:
    """Params as variables; of two that would have one name, neither is one."""
    named: dict[str, list[str]] = {}
    for param in params:
        named.setdefault(re.sub(r"\W", "_", param, flags=re.ASCII), []).append(param)
    alone = {name: owners[0] for name, owners in named.items() if len(owners) == 1}
    return {name: params[param] for name, param in alone.items() if _is_free(name)}


def _is_free(name: str) -> bool:
    return name.isidentifier() and not is_reserved_name(name) and not name.startswith("ansible_")


def _groups(machine: dict[str, Any]) -> list[str]:
    named = [f"{group}_{machine[field]}" for group, field in _GROUPED.items() if machine[field]]
    profiles = [f"profile_{name}" for name in machine["Profiles"]]
    complete = ["complete"] if machine["WorkflowComplete"] else []
    return [*named, *profiles, *complete, "runnable" if machine["Runnable"] else "paused"]
