#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_workflow``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_workflow
short_description: Have machines run a workflow, and wait until they are through
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Gives machines a workflow, unless they have it already, or begins it anew; then waits until all their tasks have
    run, and prints each step.
  - A job that fails ends the wait for its machine, unless the server tries it again; the message has the last
    lines of its log. Machines that come through are not kept by those that do not.
  - The task is changed if a machine got the workflow, began it anew or was made runnable; not by what its agent does.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.change
attributes:
  check_mode:
    details: Says which machines would begin the workflow, and does not wait.
options:
  machines:
    description: The names of the machines.
    type: list
    elements: str
    required: true
    aliases: [name]
  workflow:
    description: The workflow; by default the one that each machine has.
    type: str
  restart:
    description: Begin the workflow anew, also where it is complete.
    type: bool
    default: false
  resume:
    description: Make machines runnable that are not, so that a failed task is tried again.
    type: bool
    default: false
  wait:
    description: Wait until the machines are through.
    type: bool
    default: true
  timeout:
    description: How many seconds to wait at most; then the task fails, and says where each machine is.
    type: float
    default: 3600.0
  show:
    description: Print how far the machines are.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Install the machines of a group
  tosca.ensemble.provision_workflow:
    machines: "{{ groups.web }}"
    workflow: install
    timeout: 1800
  run_once: true

- name: Try failed tasks again
  tosca.ensemble.provision_workflow:
    machines: [web1, web2]
    resume: true
    timeout: 600

- name: Run the workflow of this host again, and go on at once
  tosca.ensemble.provision_workflow:
    name: "{{ inventory_hostname }}"
    restart: true
    wait: false
"""

RETURN = r"""
machines:
  description: The machines, in the order they were named.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The name.
      returned: always
      type: str
      sample: web1
    uuid:
      description: The key.
      returned: always
      type: str
      sample: 2f4f1a2e-6a0e-4d0a-9d7c-0c9d4f1f5a11
    workflow:
      description: The workflow.
      returned: always
      type: str
      sample: install
    complete:
      description: Whether all tasks of the list have run.
      returned: always
      type: bool
      sample: true
    tasks:
      description: The task list.
      returned: always
      type: list
      elements: str
      sample: ["stage:prepare", partition]
    current_task:
      description: The index in the task list of what runs or ran last.
      returned: always
      type: int
      sample: 2
    runnable:
      description: Whether an agent may ask for the next job.
      returned: always
      type: bool
      sample: true
    job:
      description: The latest job, by the names of the wire; empty where none was waited for.
      returned: always
      type: dict
      sample: {Task: partition, State: finished}
    log:
      description: The last lines of the log of a job that failed.
      returned: always
      type: list
      elements: str
      sample: []
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
