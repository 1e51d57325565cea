# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory plugin ``tosca.ensemble.ensemble``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble
short_description: Instances of an ensemble as hosts
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Makes a host of each instance that an ensemble's status records, if it is not absent, and groups of their
    templates, types, statuses and node states, such as C(template_web), C(type_tosca_nodes_WebServer), C(status_ok) and
    C(state_started). A group of the type C(unfurl.groups.AnsibleInventoryGroup) is one as well, and its C(hostvars) are
    the group's variables.
  - A host's variables are the instance's properties and attributes. C(ensemble_instance) holds them as well, under
    C(properties) and C(attributes), with the instance's C(name), C(template), C(type), C(status) and C(state); a
    property whose name Ansible reserves, such as C(port), is only there.
  - Where to connect to comes from the C(endpoint) capability and C(public_address) of the instance or of the one that
    hosts it. A C(tosca.nodes.Compute) without an address is left to other inventory sources, which may have a host of
    its name; what it hosts is reached as they say. Anything else is on the controller.
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
      - The C(ensemble.yaml), or the folder that holds it.
      - A relative path starts at the folder of the inventory file.
    type: str
    default: ensemble.yaml
"""

EXAMPLES = r"""
# web.inventory.yml, beside the ensemble; ansible-inventory -i web.inventory.yml --graph
plugin: tosca.ensemble.ensemble
ensemble: ensemble.yaml

# the same, with variables and groups of one's own
---
plugin: tosca.ensemble.ensemble
ensemble: web/ensemble.yaml
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
        there = {host: values for host, values in found["hosts"].items() if values[_RECORDED]["status"] != "absent"}
        for host, variables in there.items():
            inventory.add_host(host)
            self._set(host, variables)
            machine = found["machines"].get(host)
            if machine:
                for name, value in _reached_as(machine).items():
                    inventory.set_variable(host, name, value)
        for group, hosts in found["groups"].items():
            inventory.add_group(group)
            for host in (host for host in hosts if host in there):
                inventory.add_child(group, host)
        for group, variables in found["group_vars"].items():
            self._set(group, variables)
        for host in there:
            self._construct(host)

    def _set(self, entity: str, variables: dict[str, Any]) -> None:
        for name, value in variables.items():
            if not is_reserved_name(name):
                self.inventory.set_variable(entity, name, value)

    def _construct(self, host: str) -> None:
        strict = self.get_option("strict")
        variables = self.inventory.get_host(host).get_vars()
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        variables = self.inventory.get_host(host).get_vars()
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)
