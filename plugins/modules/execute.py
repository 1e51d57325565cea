#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.execute``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: execute
short_description: Execute a plan
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Runs the operations of a plan in the order of their dependencies, independent ones in parallel.
  - Operations see the inventory, variables, vault secrets, check mode and diff mode of the task.
  - Every event is written to a journal immediately; M(tosca.ensemble.record) makes the ensemble's status from it.
  - A plan is refused if its ensemble has changed since it was made, if it is of another ensemble or workflow, or if the
    file has changed.
  - A parent process of this task must hold the ensemble's lock, as by M(tosca.ensemble.lock) in the same play.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.execute
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
    details: Operations that have no dry run are not run, and are reported as skipped.
  diff_mode:
    description: Shows what changed.
    support: full
options:
  workflow:
    description: The expected workflow; a plan of another one is refused.
    type: str
    required: true
  plan_file:
    description: The plan, as M(tosca.ensemble.plan) saved it. One of this and O(plan_document) is required.
    type: path
  plan_document:
    description:
      - The content of such a file in base64, where the plan was made by a job whose files are gone.
      - Mutually exclusive with O(plan_file).
    type: str
  plan_digest:
    description:
      - The plan's digest, as M(tosca.ensemble.plan) returned it; a plan of another digest is refused.
      - May be left out only for a file that you named yourself when the plan was made.
    type: str
  show:
    description: Print a line when an operation starts and when it ends.
    type: bool
    default: true
seealso:
  - module: tosca.ensemble.plan
  - module: tosca.ensemble.record
"""

EXAMPLES = r"""
- name: Lock
  tosca.ensemble.lock:
    ensemble: web/ensemble.yaml

- name: Plan
  tosca.ensemble.plan:
    ensemble: web/ensemble.yaml
  register: web_plan

- name: Execute it, four operations at a time
  tosca.ensemble.execute:
    ensemble: web/ensemble.yaml
    workflow: deploy
    plan_file: "{{ web_plan.plan_file }}"
    plan_digest: "{{ web_plan.plan_digest }}"
    jobs: 4
"""

RETURN = r"""
journal:
  description: The file with the job's events.
  returned: once the job has started
  type: str
  sample: /srv/web/jobs/job2026-11-21-10-00-00-A6BLKsK5.journal
job:
  description: The job's id, its operations by result, and why it was stopped, if it was.
  returned: once the job has started
  type: dict
  sample: {id: A6BLKsK5, counts: {succeeded: 8, skipped: 1}, stopped: null}
msg:
  description: Why the job failed; a line for each of the first operations that did.
  returned: failure
  type: str
  sample: "the job failed: 1 failed, 2 blocked"
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
