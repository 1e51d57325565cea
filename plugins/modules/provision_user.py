#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_user``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_user
short_description: Create, change or remove a user of a server of machines
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Brings a user of a server of machines into a state, with roles and password.
  - Nobody logs in as a user without a password. With another password, all tokens of the user end.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.state
  - tosca.ensemble.provision.change
options:
  name:
    description: The name of the user.
    type: str
    required: true
  description:
    description: What people are to know of the user.
    type: str
  roles:
    description: The names of the user's roles, such as V(superuser).
    type: list
    elements: str
  password:
    description: The password; it is never shown.
    type: str
  update_password:
    description:
      - Whether a user that is there gets the password, V(always), or only one that is created, V(on_create).
      - With V(always) a login is tried to see whether the user has it already.
    type: str
    choices: [on_create, always]
    default: on_create
"""

EXAMPLES = r"""
- name: Create a user
  tosca.ensemble.provision_user:
    name: ann
    roles: [superuser]
    password: "{{ vaulted_password }}"

- name: Remove the user
  tosca.ensemble.provision_user:
    name: ann
    state: absent
"""

RETURN = r"""
user:
  description: The user as it is, or would be in check mode, without secrets; empty if it is not there.
  returned: success
  type: dict
  contains:
    Name:
      description: The name.
      returned: O(state=present)
      type: str
      sample: ann
    Roles:
      description: The names of the roles.
      returned: O(state=present)
      type: list
      elements: str
      sample: [superuser]
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
