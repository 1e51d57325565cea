#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_param``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_param
short_description: Set or remove a param of a machine, profile or stage
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Sets a param of a machine, a profile or a stage that there is, or removes it.
  - The value of a param whose definition is secure is sealed by the server and never shown. Say C(no_log) of a task
    whose value is secret otherwise.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.state
  - tosca.ensemble.provision.change
options:
  machine:
    description: The name of the machine that has it.
    type: str
  profile:
    description: The name of the profile that has it; V(global) is that of all machines.
    type: str
  stage:
    description: The name of the stage that has it.
    type: str
  name:
    description: The name of the param.
    type: str
    required: true
  value:
    description: Its value, any but null. Required with O(state=present).
    type: raw
"""

EXAMPLES = r"""
- name: Set a param of a machine
  tosca.ensemble.provision_param:
    machine: web1
    name: ntp/servers
    value: [192.0.2.1, 192.0.2.2]

- name: Set a secure param of a profile
  tosca.ensemble.provision_param:
    profile: rack-1
    name: bmc/password
    value: "{{ vaulted_password }}"

- name: Remove it from the machine
  tosca.ensemble.provision_param:
    machine: web1
    name: ntp/servers
    state: absent
"""

RETURN = r"""
value:
  description: The value that it has now, V((hidden\)) if it is secure; null if it is not set.
  returned: success
  type: raw
  sample: ["192.0.2.1", "192.0.2.2"]
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
