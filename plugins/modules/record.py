#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.record``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: record
short_description: Record a job in its ensemble
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Writes the status that a job left behind into C(ensemble.yaml), and what it did into C(changes), C(jobs) and
    C(jobs.tsv), from the journal of M(tosca.ensemble.execute) alone.
  - Only the text of what the job changed is replaced; comments, order and quoting of everything else stay.
  - Recording the same journal twice is the same as recording it once.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.record
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
    details: The result is the same; nothing is written.
  diff_mode:
    description: Shows what changed.
    support: none
options:
  journal:
    description: The journal that M(tosca.ensemble.execute) returned.
    type: path
    required: true
  show:
    description: Print the job's summary.
    type: bool
    default: true
seealso:
  - module: tosca.ensemble.execute
"""

EXAMPLES = r"""
- name: Deploy, and record the result
  block:
    - name: Execute
      tosca.ensemble.execute:
        ensemble: web/ensemble.yaml
        plan_file: "{{ web_plan.plan_file }}"
      register: web_execution
  always:
    - name: Record
      tosca.ensemble.record:
        ensemble: web/ensemble.yaml
        journal: "{{ web_execution.journal }}"
        commit: true
"""

RETURN = r"""
job:
  description: The job as it is recorded.
  returned: success
  type: dict
  sample: {id: A6BLKsK5, workflow: deploy, status: ok, total: 9, ok: 9, error: 0, changed: 9}
outputs:
  description: The topology's outputs as far as they are known; sensitive values are redacted.
  returned: success
  type: dict
  sample: {url: "http://localhost:8080/"}
summary:
  description: How many instances were added, changed, destroyed and forgotten.
  returned: success
  type: dict
  sample: {add: 4, change: 0, destroy: 0, forget: 0}
text:
  description: The job's report as text.
  returned: success
  type: str
  sample: "Deploy complete: 4 added, 0 changed, 0 destroyed."
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
