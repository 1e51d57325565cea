#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_job_info``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_job_info
short_description: Show jobs of machines, and their logs
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Lists jobs of a server of machines, the latest first, with their logs if these are asked for.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.info
options:
  machine:
    description: The name of the machine whose jobs to show.
    type: str
  uuid:
    description: The UUID of the only job to show.
    type: str
  task:
    description: The task, or entry of a task list, whose jobs to show.
    type: str
  state:
    description: The states of the jobs to show.
    type: list
    elements: str
    choices: [created, running, failed, finished, incomplete]
  current:
    description: Whether the jobs to show are the latest of their machines, or not.
    type: bool
  limit:
    description: How many to show at most.
    type: int
    default: 50
  log:
    description: Whether to show their logs.
    type: bool
    default: false
  log_lines:
    description: How many lines of a log to show, the last ones; V(0) is all.
    type: int
    default: 0
"""

EXAMPLES = r"""
- name: Why did it fail?
  tosca.ensemble.provision_job_info:
    machine: web1
    state: [failed]
    limit: 1
    log: true
    log_lines: 20
  register: failed

- name: What runs now
  tosca.ensemble.provision_job_info:
    state: [created, running]
"""

RETURN = r"""
jobs:
  description: The jobs, by the names of the wire.
  returned: success
  type: list
  elements: dict
  contains:
    Uuid:
      description: The key.
      returned: always
      type: str
      sample: 3ebe0887-3f32-475e-baa4-136475334fb8
    Machine:
      description: The UUID of the machine.
      returned: always
      type: str
      sample: 2f4f1a2e-6a0e-4d0a-9d7c-0c9d4f1f5a11
    Task:
      description: The task, or the entry of the task list.
      returned: always
      type: str
      sample: partition
    State:
      description: One of V(created), V(running), V(failed), V(finished) and V(incomplete).
      returned: always
      type: str
      sample: failed
    ExitState:
      description: How it ended.
      returned: always
      type: str
      sample: failed
    Log:
      description: The lines of its log.
      returned: O(log=true)
      type: list
      elements: str
      sample: ["Log for Job: 3ebe0887-3f32-475e-baa4-136475334fb8", no such disk]
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
