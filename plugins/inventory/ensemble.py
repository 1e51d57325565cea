# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory plugin ``tosca.ensemble.ensemble``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble
short_description: Machines and instances of an ensemble as hosts
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Makes a host of each machine that an ensemble's status records, if it is not absent, and groups of their templates
    and types, such as C(template_web) and C(type_tosca_nodes_Compute). A machine is an instance that nothing hosts and
    that is a C(tosca.nodes.Compute) or has an address.
  - A group of the type C(unfurl.groups.AnsibleInventoryGroup) is one too, and its C(hostvars) are its variables.
  - C(ensemble_instance) holds the instance with its C(name), C(template), C(type), C(status), C(state), C(properties)
    and C(attributes).
  - Where to connect to comes from the C(endpoint) capability and C(public_address) of the instance or of the one that
    hosts it. A C(tosca.nodes.Compute) without an address is left to other inventory sources, which may have a host of
    its name; what it hosts is reached as they say. Anything else is on the controller.
  - What sources before it say of a host or a group, holds.
  - Reads the ensemble and changes nothing.
extends_documentation_fragment:
  - ansible.builtin.constructed
options:
  plugin:
    description: Marks the file as a source for this plugin.
    type: str
    required: true
    choices: [tosca.ensemble.ensemble]
  ensemble:
    description:
      - The C(ensemble.yaml), the folder that holds it, or the service template that it is made of.
      - A relative path starts at the folder of the inventory file.
    type: str
    default: ensemble.yaml
  hosts:
    description:
      - Which instances are hosts.
      - With V(all), services are in the group C(all) beside the machines that host them.
    type: str
    choices: [machines, all]
    default: machines
  group_by:
    description:
      - What makes groups of hosts.
      - Groups by V(status) and V(state), such as C(status_ok) and C(state_started), change with each job. So does what
        was made by templates that see them.
    type: list
    elements: str
    choices: [template, type, status, state]
    default: [template, type]
  values:
    description:
      - Whether the properties and attributes of an instance are variables of its host.
      - Those whose names Ansible reserves, such as C(port), are not.
      - As variables of a host they go before those of groups.
    type: bool
    default: false
"""

EXAMPLES = r"""
# web.inventory.yml, beside the ensemble; ansible-inventory -i web.inventory.yml --graph
plugin: tosca.ensemble.ensemble
ensemble: ensemble.yaml

# what follows may be left out: every instance, with variables and groups of one's own
hosts: all
compose:
  service_port: ensemble_instance.properties.port | default(80)
groups:
  broken: ensemble_instance.status in ['error', 'degraded']
"""

from pathlib import Path
from typing import Any

from ansible import constants
from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Constructable
from ansible.template import trust_as_template
from ansible.vars.reserved import is_reserved_name
from ansible_collections.tosca.ensemble.plugins.plugin_utils.listed import listed_plainly
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import EnsembleFailure, package

#: The variable that holds the instance.
_RECORDED = "ensemble_instance"

#: Variables by which a host is reached.
_CONNECTION = (
    "ansible_connection",
    "ansible_host",
    "ansible_port",
    "ansible_user",
    "ansible_private_key_file",
    "ansible_ssh_private_key_file",
    "ansible_ssh_common_args",
    "ansible_ssh_extra_args",
    "ansible_python_interpreter",
)

#: Passwords, and what they are called for a machine. Under their first names they would win over those that were asked
#: for (`-k`, `-K`) even where there are none.
_PASSWORDS = {
    "ansible_ssh_password": ("ansible_password", "ansible_ssh_pass"),
    "ansible_sudo_pass": ("ansible_become_password", "ansible_become_pass"),
    "ansible_su_pass": ("ansible_become_password", "ansible_become_pass"),
}


def _reached_as(machine: str) -> dict[str, Any]:
    """The variables of a host that is reached as another one: templates, for other sources may say later how it is."""
    otherwise = {
        "ansible_connection": constants.config.get_config_value("DEFAULT_TRANSPORT"),
        "ansible_host": machine,
        "ansible_python_interpreter": constants.config.get_config_value("INTERPRETER_PYTHON"),
    }
    its = f"hostvars[{machine!r}]"
    texts = {name: f"{its}.{name} | default({otherwise.get(name)!r})" for name in _CONNECTION}
    for name, (one, other) in _PASSWORDS.items():
        texts[name] = f"{its}.{one} | default({its}.{other} | default(omit))"
    return {name: trust_as_template(f"{{{{ {text} }}}}") for name, text in texts.items()}


class InventoryModule(BaseInventoryPlugin, Constructable):
    """Reads the instances of an ensemble through the package."""

    NAME = "tosca.ensemble.ensemble"

    def verify_file(self, path: str) -> bool:
        """Whether the file may be meant for this plugin: YAML; its `plugin` key decides."""
        return bool(super().verify_file(path)) and path.endswith((".yml", ".yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Add the ensemble's hosts and groups to the inventory."""
        super().parse(inventory, loader, path, cache)
        if getattr(inventory, "without_ensembles", False):
            return  # a job asks what the other sources know
        self._read_config_data(path)
        ensemble = Path(path).resolve().parent / Path(self.get_option("ensemble")).expanduser()
        try:
            with package() as jobs:
                found: dict[str, dict[str, Any]] = jobs.inventory(str(ensemble), loader=loader)
        except EnsembleFailure as failure:
            raise AnsibleParserError(failure.text) from failure
        hosts = {name: one for name, one in found["instances"].items() if self._is_host(one)}
        for name, one in hosts.items():
            self._add(name, one)
        for group, members in found["groups"].items():
            self._join(group, [name for name in members if name in hosts])
        for group, variables in found["group_vars"].items():
            self._set(inventory.groups[group], variables)
        for name in hosts:
            self._construct(name)

    def _is_host(self, instance: dict[str, Any]) -> bool:
        wanted = instance["is_machine"] or self.get_option("hosts") == "all"
        return bool(wanted and instance["recorded"]["status"] != "absent")

    def _add(self, name: str, instance: dict[str, Any]) -> None:
        self.inventory.add_host(name)
        host, recorded = self.inventory.get_host(name), instance["recorded"]
        reached = _reached_as(instance["machine"]) if instance["machine"] else instance["connection"]
        values = {**recorded["properties"], **recorded["attributes"]} if self.get_option("values") else {}
        known = {value: given for value, given in values.items() if value.isidentifier()}
        self._set(host, {**known, **reached, _RECORDED: recorded})
        for kind in self.get_option("group_by"):
            for group in instance["groups"][kind]:
                self._join(group, [name])

    def _join(self, group: str, hosts: list[str]) -> None:
        self.inventory.add_group(group)
        for host in hosts:
            self.inventory.add_child(group, host)

    def _set(self, entity: Any, variables: dict[str, Any]) -> None:
        """Give a host or a group the variables that it does not have from another source."""
        for name, value in variables.items():
            if name not in entity.vars and not is_reserved_name(name):
                entity.set_variable(name, listed_plainly(value, self.templar))

    def _construct(self, host: str) -> None:
        strict = self.get_option("strict")
        variables = self.inventory.get_host(host).get_vars()
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        variables = self.inventory.get_host(host).get_vars()
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)
