# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lookup plugin ``tosca.ensemble.provision_param``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: provision_param
short_description: A param of a machine
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Reads the value of a param that a machine has, from a server of machines.
  - A param that is not there fails, unless O(default) is given.
extends_documentation_fragment:
  - tosca.ensemble.provision.plugin
options:
  _terms:
    description: The names of the params.
    type: list
    elements: str
    required: true
  machine:
    description: The name of the machine; by default the host.
    type: str
    vars:
      - name: inventory_hostname
  aggregate:
    description: Whether values of profiles and stages, and the default of the param, count as well.
    type: bool
    default: true
  secure:
    description: Whether the value of a secure param is wanted, open; for users with the claim C(getSecure).
    type: bool
    default: false
  default:
    description: What is returned for a param that is not there.
    type: raw
"""

EXAMPLES = r"""
- name: Say where it is installed
  ansible.builtin.debug:
    msg: "{{ lookup('tosca.ensemble.provision_param', 'disk', machine='web1') }}"

- name: Use a password
  ansible.builtin.set_fact:
    bmc_password: "{{ lookup('tosca.ensemble.provision_param', 'bmc/password', machine='web1', secure=true) }}"
  no_log: true

- name: With a default
  ansible.builtin.debug:
    msg: "{{ lookup('tosca.ensemble.provision_param', 'spare', machine='web1', default='none') }}"
"""

RETURN = r"""
_list:
  description: The values, in the order of the terms.
  type: list
  elements: raw
"""

from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION, server_of
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import MACHINES, EnsembleFailure, package


class LookupModule(LookupBase):
    """Reads params of machines through the package."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        """The values of the params.

        Raises:
            AnsibleLookupError: the server refuses, or there is no such param.
        """
        self.set_options(var_options=variables, direct=kwargs)
        machine, aggregate, secure = (self.get_option(name) for name in ("machine", "aggregate", "secure"))
        names = [str(term) for term in terms]
        try:
            with package(MACHINES) as facade:
                server = server_of(facade, {name: self.get_option(name) for name in CONNECTION})
                found = facade.param_values(server, str(machine), names, aggregate=aggregate, secure=secure)
        except EnsembleFailure as failure:
            raise AnsibleLookupError(failure.text) from failure
        if missing := [name for name in names if name not in found and "default" not in kwargs]:
            raise AnsibleLookupError(f"machine {machine} has no param {missing[0]}")
        return [found.get(name, self.get_option("default")) for name in names]
