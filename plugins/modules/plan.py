#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.plan``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: plan
short_description: Plan a workflow over an ensemble
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Compares the topology with the ensemble's recorded status, and plans the operations that the workflow needs, each
    with a reason.
  - Changes nothing but the file that the plan is saved to. The task is changed if O(plan_file) is given and that file
    was not there or held another plan; RV(plan.operations) shows whether there is something to do.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.plan
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
    details: Planning changes nothing; in check mode the plan is made for a dry run.
  diff_mode:
    description: Shows what changed.
    support: full
options:
  workflow:
    description:
      - The workflow to plan, V(deploy), V(undeploy), V(check), V(discover), V(start), V(stop), V(run) or the name of a
        workflow of the topology.
    type: str
    default: deploy
  plan_file:
    description:
      - Where the plan is saved.
      - A new file in the ensemble's C(planned) folder by default. It goes with the lock that it was made under, or
        after a day.
      - An existing file that is not a plan is not overwritten.
    type: path
  show:
    description: Print the plan.
    type: bool
    default: true
seealso:
  - module: tosca.ensemble.execute
"""

EXAMPLES = r"""
- name: See what a deploy would do
  tosca.ensemble.plan:
    ensemble: web/ensemble.yaml
  register: web_plan

- name: Stop if it would destroy something
  ansible.builtin.assert:
    that: web_plan.plan.summary.destroy == 0

- name: Plan to undeploy two instances
  tosca.ensemble.plan:
    ensemble: web/ensemble.yaml
    workflow: undeploy
    instances: [proxy, app]
    plan_file: undeploy-web.json
"""

RETURN = r"""
plan:
  description: The plan, a versioned document; sensitive values are redacted.
  returned: success
  type: dict
  contains:
    format_version:
      description: Version of the document's format.
      returned: success
      type: str
      sample: "2.0"
    workflow:
      description: The workflow.
      returned: success
      type: str
      sample: deploy
    ensemble:
      description: The ensemble's file.
      returned: success
      type: str
      sample: /srv/web/ensemble.yaml
    template:
      description: The service template, of an ensemble that is made from one; or null.
      returned: success
      type: str
      sample: /srv/web/service.yaml
    job:
      description: The id of the job that it is for; empty if that has none yet.
      returned: success
      type: str
    base:
      description: Digests of what it was made from.
      returned: success
      type: dict
    files:
      description: Digests of the files that its operations would run or copy, by their paths.
      returned: success
      type: dict
    inventory:
      description: Digests of the variables of each host of the inventory, in a plan that another job may execute.
      returned: success
      type: dict
    inputs:
      description: The inputs that were given, now or to an earlier deploy, each with its value and where that is from.
      returned: success
      type: list
      elements: dict
    options:
      description: The options that differ from their defaults.
      returned: success
      type: dict
      sample: {prune: true}
    summary:
      description: How many instances are added, changed, destroyed, used, forgotten, read and run on.
      returned: success
      type: dict
      sample: {add: 4, change: 0, destroy: 0, use: 0, forget: 0, read: 0, run: 0}
    resource_changes:
      description: What happens to each instance, and why.
      returned: success
      type: list
      elements: dict
    operations:
      description: The operations in order, with what each waits for.
      returned: success
      type: list
      elements: dict
    output_changes:
      description: How the outputs will change, by their names.
      returned: success
      type: dict
    excluded:
      description: What is left out that could be meant, and why.
      returned: success
      type: list
      elements: dict
    warnings:
      description: What may be wrong.
      returned: success
      type: list
      elements: str
    not_compared:
      description: What nobody can compare with what was read, with the names of the instances that read it.
      returned: success
      type: dict
    moved:
      description: Instances whose templates have other names now, as C(previous_address) and C(address).
      returned: success
      type: list
      elements: dict
plan_file:
  description: Where the plan is saved.
  returned: success
  type: str
  sample: /srv/web/planned/plan-0f1e2d3c4b5a6978.json
plan_digest:
  description: Identifies this plan; for O(tosca.ensemble.execute#module:plan_digest).
  returned: success
  type: str
  sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
text:
  description: The plan as text.
  returned: success
  type: str
  sample: "Plan: 4 to add, 0 to change, 0 to destroy."
exit_code:
  description: The exit code for a command that ends with this error; 3 if the input is invalid.
  returned: failure
  type: int
  sample: 3
"""
