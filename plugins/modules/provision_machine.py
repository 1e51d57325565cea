#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_machine``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_machine
short_description: Create, change or remove a machine
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Brings a machine of a server of machines into a state. What is not named stays as it is.
  - A new machine has the stage, bootenv and workflow of the server's preferences unless they are named.
  - To run a workflow again, or to wait for it, use M(tosca.ensemble.provision_workflow).
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.state
  - tosca.ensemble.provision.manner
  - tosca.ensemble.provision.change
options:
  name:
    description: The name of the machine.
    type: str
    required: true
  description:
    description: What people are to know of it.
    type: str
  address:
    description: Its IP address.
    type: str
  hardware_addrs:
    description: Its MAC addresses.
    type: list
    elements: str
  arch:
    description: Its architecture, as Go names it; V(amd64) by default.
    type: str
  os:
    description: The operating system that is installed on it.
    type: str
  profiles:
    description: The names of its profiles, in their order.
    type: list
    elements: str
  params:
    description:
      - Params of its own. Others stay unless O(exact=true); one that is null is removed.
      - Values of secure params are compared with those that the server has, for which the user needs the claim
        C(getSecure).
    type: dict
  meta:
    description: Texts of its Meta. Others stay unless O(exact=true); one that is null is removed.
    type: dict
  pool:
    description: Its pool; V(default) by default.
    type: str
  workflow:
    description: Its workflow; empty for none. One that it has already is not begun anew.
    type: str
  stage:
    description: Its stage, for a machine without workflow.
    type: str
  bootenv:
    description: Its bootenv, for a machine without workflow.
    type: str
  context:
    description: Where its tasks run; empty is on the machine itself.
    type: str
  runnable:
    description:
      - Whether an agent may ask for its next job.
      - The server makes a machine that is to boot something else not runnable; V(true) has it run before it booted.
    type: bool
  locked:
    description: Whether it can be changed, except to unlock it, and removed.
    type: bool
"""

EXAMPLES = r"""
- name: Create a machine and have it run a workflow
  tosca.ensemble.provision_machine:
    endpoint: https://provision.example:8092
    key: "rocketskates:{{ provision_password }}"
    name: web1
    address: 192.0.2.11
    profiles: [rack-1]
    params:
      disk: /dev/vda
    workflow: install

- name: Pause it
  tosca.ensemble.provision_machine:
    name: web1
    runnable: false

- name: Remove a param and let its profiles say it
  tosca.ensemble.provision_machine:
    name: web1
    params:
      disk: null

- name: Remove the machine
  tosca.ensemble.provision_machine:
    name: web1
    state: absent
"""

RETURN = r"""
machine:
  description: The machine as it is, or would be in check mode, by the names of the wire; empty if it is not there.
    Secrets are left out, and values of secure params are V((hidden\)).
  returned: success
  type: dict
  contains:
    Name:
      description: Its name.
      returned: O(state=present)
      type: str
      sample: web1
    Uuid:
      description: Its key; empty for one that would be created in check mode.
      returned: O(state=present)
      type: str
      sample: 2f4f1a2e-6a0e-4d0a-9d7c-0c9d4f1f5a11
    Address:
      description: Its address.
      returned: O(state=present)
      type: str
      sample: 192.0.2.11
    Workflow:
      description: Its workflow.
      returned: O(state=present)
      type: str
      sample: install
    Stage:
      description: Its stage.
      returned: O(state=present)
      type: str
      sample: prepare
    BootEnv:
      description: Its bootenv.
      returned: O(state=present)
      type: str
      sample: local
    Tasks:
      description: Its task list.
      returned: O(state=present)
      type: list
      elements: str
      sample: ["stage:prepare", partition]
    CurrentTask:
      description: The index in the task list of what runs or ran last; -1 before the first.
      returned: O(state=present)
      type: int
      sample: -1
    Runnable:
      description: Whether an agent may ask for its next job.
      returned: O(state=present)
      type: bool
      sample: true
    Params:
      description: Its own params.
      returned: O(state=present)
      type: dict
      sample: {disk: /dev/vda}
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
