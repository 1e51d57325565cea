#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.info``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: info
short_description: Show what is recorded of an ensemble
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Returns the status of an ensemble and its instances, its outputs, its history, and the drift that its last check
    found.
  - Runs nothing and changes nothing; M(tosca.ensemble.plan) shows what a job would do, and a job of the workflow
    C(check) looks at what is there now.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.info
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
  diff_mode:
    description: Shows what changed.
    support: none
options:
  gather:
    description: What to return.
    type: list
    elements: str
    choices: [status, outputs, history, drift]
    default: [status, outputs, history, drift]
  last:
    description: Only so many jobs of the history, the newest.
    type: int
  show:
    description: Print what was found.
    type: bool
    default: false
seealso:
  - module: tosca.ensemble.plan
  - plugin: tosca.ensemble.attribute
    plugin_type: lookup
  - plugin: tosca.ensemble.ensemble_instance
    plugin_type: filter
"""

EXAMPLES = r"""
- name: What is there
  tosca.ensemble.info:
    ensemble: web/ensemble.yaml
    gather: [status, outputs, drift]
  register: web

- name: Use it
  ansible.builtin.debug:
    msg: "{{ web.outputs.url }}: {{ (web | tosca.ensemble.ensemble_instance('app')).status }}"

- name: Stop at drift
  ansible.builtin.assert:
    that: web is not tosca.ensemble.ensemble_drifted
"""

RETURN = r"""
ensemble:
  description: The ensemble's file.
  returned: success
  type: str
  sample: /srv/web/ensemble.yaml
status:
  description: The status of the whole; null before the first job.
  returned: O(gather) has V(status)
  type: str
  sample: ok
last_job:
  description: The last job, as it is recorded, or null.
  returned: O(gather) has V(status)
  type: dict
  sample: {change_id: A6BLKsK50000, workflow: deploy, summary: 9 tasks (4 changed, 9 ok)}
instances:
  description: The instances in the order in which they are recorded.
  returned: O(gather) has V(status)
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      returned: always
      type: str
      sample: app
    template:
      description: Its node template.
      returned: always
      type: str
      sample: app
    type:
      description: The template's type.
      returned: always
      type: str
      sample: tosca.nodes.WebServer
    host:
      description: The instance that it is hosted on, or null.
      returned: always
      type: str
      sample: machine
    status:
      description: Its status, which is no better than that of what it needs.
      returned: always
      type: str
      sample: ok
    local_status:
      description: Its own status.
      returned: always
      type: str
      sample: ok
    state:
      description: How far its life has come, or null.
      returned: always
      type: str
      sample: started
    priority:
      description: What its failure means to the whole.
      returned: always
      type: str
      sample: required
    created:
      description: The task that created it, or null.
      returned: always
      type: str
      sample: A6BLKsK50001
    used:
      description: Whether it is a machine that none of its operations makes or deletes.
      returned: always
      type: bool
    protected:
      description: Whether undeploy leaves it alone; null if nothing says so.
      returned: always
      type: bool
    customized:
      description: Whether it was changed by an operation of another workflow; null if nothing says so.
      returned: always
      type: raw
    attributes:
      description: Its recorded attributes; sensitive values are masked.
      returned: always
      type: dict
      sample: {url: "http://localhost:8080/"}
    properties:
      description: Its properties as its last operation read them; sensitive values are masked.
      returned: always
      type: dict
      sample: {port: 8080}
outputs:
  description: The topology's outputs as far as they are known; sensitive values are redacted.
  returned: O(gather) has V(outputs)
  type: dict
  sample: {url: "http://localhost:8080/"}
inputs:
  description: The inputs that last from an earlier deploy by name, each with its value, the job, and when it was given.
  returned: O(gather) has V(status)
  type: dict
history:
  description: The jobs, the newest first, of each what is known.
  returned: O(gather) has V(history)
  type: list
  elements: dict
  contains:
    change_id:
      description: Its id.
      returned: always
      type: str
      sample: A6BLKsK50000
    previous_id:
      description: The job before it.
      returned: when there was one
      type: str
      sample: A6BKKsK50000
    workflow:
      description: Its workflow.
      returned: when it is known
      type: str
      sample: deploy
    status:
      description: The status of the ensemble after it.
      returned: when it is known
      type: str
      sample: ok
    outcome:
      description: V(ok), V(failed), V(stopped) or V(interrupted).
      returned: when it is known
      type: str
      sample: ok
    start_time:
      description: When it began, in UTC.
      returned: when it is known
      type: str
      sample: 2026-11-20-20-54-20-096546
    end_time:
      description: When it ended, in UTC.
      returned: when it is known
      type: str
      sample: 2026-11-20-20-54-22-096546
    seconds:
      description: How long it took.
      returned: when it is known
      type: float
      sample: 2.0
    summary:
      description: Counts of its tasks, in words.
      returned: when it is known
      type: str
      sample: 9 tasks (4 changed, 9 ok)
    approved_by:
      description: Who approved it.
      returned: when it is known
      type: str
      sample: ann
    start_commit:
      description: The commit of the ensemble's repository that it started from.
      returned: in a git repository
      type: str
      sample: a7792f31
    changelog:
      description: Its record, relative to the ensemble's folder.
      returned: when it is known
      type: str
      sample: changes/job2026-11-20-20-54-20-A6BLKsK5.yaml
    tasks:
      description: The number of its tasks.
      returned: always
      type: int
      sample: 9
drift:
  description: What the last check or discover found of drift; null if there was none, or its journal is gone.
  returned: O(gather) has V(drift)
  type: dict
  contains:
    job:
      description: The job that looked.
      returned: always
      type: str
      sample: A6BLKsK50000
    workflow:
      description: Its workflow.
      returned: always
      type: str
      sample: check
    time:
      description: When it ended, in UTC.
      returned: always
      type: str
      sample: 2026-11-20-20-54-22-096546
    instances:
      description: The instances that drifted.
      returned: always
      type: list
      elements: dict
      contains:
        instance:
          description: The instance.
          returned: always
          type: str
          sample: app
        changes:
          description: The attributes that differ, with the C(recorded) value and the C(live) one.
          returned: always
          type: list
          elements: dict
          sample: [{name: port, recorded: 80, live: 81}]
text:
  description: What was found, as text.
  returned: success
  type: str
  sample: "web/ensemble.yaml: ok"
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 3
"""
