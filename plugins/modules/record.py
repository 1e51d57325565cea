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
  contains:
    id:
      description: Its change id.
      returned: always
      type: str
      sample: A6BLKsK50000
    workflow:
      description: Its workflow.
      returned: always
      type: str
      sample: deploy
    ensemble:
      description: The ensemble's file; in a job of AWX, its path in the repository.
      returned: always
      type: str
      sample: /srv/web/ensemble.yaml
    approved_by:
      description: Who approved it; empty where nobody had to, or that is not known.
      returned: always
      type: str
      sample: ann
    ensemble_status:
      description: The status of the ensemble after it, whatever became of the job; a dry run does not tell.
      returned: when it is recorded
      type: str
      sample: ok
    success:
      description: Whether it did what it is for.
      returned: always
      type: bool
      sample: true
    outcome:
      description: V(ok), V(failed), V(stopped) or V(interrupted).
      returned: always
      type: str
      sample: ok
    exit_code:
      description: The exit code of the command for this outcome.
      returned: always
      type: int
      sample: 0
    stopped:
      description: Why it was stopped before its end, or null.
      returned: always
      type: str
      sample: the job was told to stop
    signal:
      description: The signal that stopped it, or null.
      returned: always
      type: int
      sample: 15
    check:
      description: Whether it was a dry run.
      returned: when this run recorded it
      type: bool
      sample: false
    commits:
      description: The commits that were made, by repository.
      returned: when what it changed was committed
      type: dict
    record:
      description: The file with its record; in a job of AWX, its path in the repository.
      returned: when it is recorded
      type: str
      sample: /srv/web/changes/job2026-11-21-10-00-00-A6BLKsK5.yaml
    total:
      description: The number of its operations.
      returned: always
      type: int
      sample: 9
    changed:
      description: How many of them changed something.
      returned: always
      type: int
      sample: 4
    ok:
      description: How many succeeded.
      returned: always
      type: int
      sample: 9
    error:
      description: How many failed.
      returned: always
      type: int
      sample: 0
    unknown:
      description: How many left an unknown status.
      returned: always
      type: int
      sample: 0
    not_checked:
      description: How many could not be checked, since their modules do nothing in check mode.
      returned: always
      type: int
      sample: 0
    skipped:
      description: How many had nothing to do.
      returned: always
      type: int
      sample: 0
    blocked:
      description: How many did not run because others failed.
      returned: always
      type: int
      sample: 0
    cancelled:
      description: How many did not run because the job was stopped.
      returned: always
      type: int
      sample: 0
    interrupted:
      description: How many were interrupted.
      returned: always
      type: int
      sample: 0
    excused:
      description: How many failures do not count.
      returned: always
      type: int
      sample: 0
    seconds:
      description: How long it took.
      returned: always
      type: float
      sample: 3.2
    summary:
      description: These counts in words.
      returned: always
      type: str
      sample: 9 tasks (4 changed, 9 ok)
plan:
  description: How many instances the job was planned to add, change, destroy, use, forget, read and run on.
  returned: success
  type: dict
  sample: {add: 4, change: 0, destroy: 0, use: 0, forget: 0, read: 0, run: 0}
operations:
  description: The operations that the job came to, in the order in which they ended.
  returned: success
  type: list
  elements: dict
  contains:
    change_id:
      description: Its id, by which C(ansible-ensemble show) tells more; null if it did not begin.
      returned: always
      type: str
      sample: A6BLKsK50001
    instance:
      description: The instance that it was for.
      returned: always
      type: str
      sample: app
    template:
      description: The instance's node template, where that is known.
      returned: always
      type: str
      sample: app
    operation:
      description: The operation, as C(Interface.operation).
      returned: always
      type: str
      sample: Standard.configure
    relationship:
      description: The relationship of the instance that it was for, or null.
      returned: always
      type: str
      sample: database#0
    reason:
      description: Why it was planned.
      returned: always
      type: str
      sample: add
    status:
      description: V(ok), V(error), V(skipped), V(blocked), V(cancelled) or V(interrupted).
      returned: always
      type: str
      sample: ok
    host:
      description: The inventory host that it ran on, V(localhost) for the controller; null if it did not run.
      returned: always
      type: str
      sample: web1
    node:
      description: The node of a mesh from which it ran there.
      returned: when it ran from a node of a mesh
      type: str
      sample: dc2-1
    lane:
      description: How its modules were run, where it ran any.
      returned: always
      type: str
      sample: stock
    seconds:
      description: How long it took; null if it did not run.
      returned: always
      type: float
      sample: 1.5
    changed:
      description: Whether it changed something, or would; null if that is not known.
      returned: always
      type: bool
      sample: true
    basis:
      description: What that rests on, V(real), V(predicted) by check mode, or V(not-run).
      returned: always
      type: str
      sample: real
    unreachable:
      description: Whether its host could not be reached.
      returned: always
      type: bool
      sample: false
    excused:
      description: Why its failure does not count, V(priority) or V(on_failure); null if it counts.
      returned: always
      type: str
      sample: priority
    error:
      description: Why it failed, or did not run; else null.
      returned: always
      type: str
      sample: "exit code 1: the port is closed"
    messages:
      description: What it said besides.
      returned: always
      type: list
      elements: str
    blocked_by:
      description: Keys of the operations whose failures kept it from running.
      returned: always
      type: list
      elements: str
      sample: ["db:Standard.create"]
    diff:
      description: What its modules changed, in diff mode.
      returned: always
      type: list
      elements: dict
    attributes:
      description: The attributes that it set, by instance; sensitive values are masked.
      returned: always
      type: dict
      sample: {app: {url: "http://localhost:8080/"}}
hosts:
  description: How many operations came to what on each host, as in the recap of a play.
  returned: success
  type: dict
  sample: {web1: {ok: 3, changed: 2, unreachable: 0, failed: 0}}
outputs:
  description: The topology's outputs as far as they are known; sensitive values are redacted.
  returned: success
  type: dict
  sample: {url: "http://localhost:8080/"}
drift:
  description: What a check found to be other than recorded, by instance.
  returned: success
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
sound:
  description: Whether the job looked at nothing that is not as recorded, or not ok.
  returned: success
  type: bool
  sample: true
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
msg:
  description: Why what is recorded could not be committed.
  returned: failure
  type: str
  sample: "git push failed"
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
