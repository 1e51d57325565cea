#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_token``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_token
short_description: Get a token of a machine, for its agent
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Gets a token by which an agent may do what concerns one machine. It ends with its time, with the machine, and with
    the secret of the machine.
  - Say C(no_log) of the task, for the token is what it returns. The role P(tosca.ensemble.provision_agent#role) uses
    it.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.info
options:
  machine:
    description: The name of the machine.
    type: str
    required: true
  life:
    description: How long the token is valid, such as V(3y), V(30d) or V(12h).
    type: str
    default: 3y
"""

EXAMPLES = r"""
- name: Get a token for the agent of a machine
  tosca.ensemble.provision_token:
    machine: web1
    life: 30d
  register: agent
  no_log: true
"""

RETURN = r"""
token:
  description: The token.
  returned: success
  type: str
  sample: eyJhbGciOiJIUzI1NiJ9
uuid:
  description: The UUID of the machine.
  returned: success
  type: str
  sample: 2f4f1a2e-6a0e-4d0a-9d7c-0c9d4f1f5a11
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
