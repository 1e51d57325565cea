#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.lock``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: lock
short_description: Take or release the lock of an ensemble
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Takes the lock that keeps others from changing the ensemble, until this run of Ansible ends.
  - The lock is a file beside the C(ensemble.yaml); where the environment asks for it, a Git LFS lock as well.
  - A lock whose owner is no longer running is taken over.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.lock
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
    details: A dry run also takes and releases the lock, so that the state does not change meanwhile.
  diff_mode:
    description: Shows what changed.
    support: none
options:
  state:
    description: Whether the lock is to be held, V(present), or released, V(absent).
    type: str
    choices: [present, absent]
    default: present
  operation:
    description: What the lock is for; shown to others that find the ensemble locked.
    type: str
    default: ansible-playbook
  lock_id:
    description:
      - Id of the lock, to release it in another task or to continue with a lock taken earlier.
      - With O(state=absent), only the lock with this id is released.
    type: str
  plan_file:
    description:
      - The saved plan that is going to be executed. Where no O(environment) is given, it is the plan's, which says
        where the state lives and which lock all clones share.
    type: path
  plan_document:
    description: As O(plan_file), the content of such a file in base64. The two are mutually exclusive.
    type: str
seealso:
  - module: tosca.ensemble.plan
  - module: tosca.ensemble.execute
  - module: tosca.ensemble.record
"""

EXAMPLES = r"""
- name: Lock the ensemble
  tosca.ensemble.lock:
    ensemble: web/ensemble.yaml
    operation: nightly backup
    lock_timeout: 60
  register: web_lock

- name: Release the lock
  tosca.ensemble.lock:
    ensemble: web/ensemble.yaml
    state: absent
    lock_id: "{{ web_lock.lock.id }}"
"""

RETURN = r"""
lock:
  description: The lock that is held; empty once it is released.
  returned: success
  type: dict
  contains:
    id:
      description: Its id.
      returned: O(state=present)
      type: str
      sample: 0f1e2d3c4b5a6978
    operation:
      description: What it is for.
      returned: O(state=present)
      type: str
      sample: deploy
    who:
      description: The user who holds it, and where.
      returned: O(state=present)
      type: str
      sample: ada@controller
    host:
      description: The machine that it is held from.
      returned: O(state=present)
      type: str
      sample: controller
    pid:
      description: The process whose end releases it.
      returned: O(state=present)
      type: int
      sample: 4711
    created:
      description: Since when it is held, in UTC.
      returned: O(state=present)
      type: str
      sample: "2026-11-21T10:00:00Z"
    path:
      description: The ensemble's file.
      returned: O(state=present)
      type: str
      sample: /srv/web/ensemble.yaml
    environment:
      description: The environment that was given or is the plan's, to release the lock by; null for the ensemble's own.
      returned: O(state=present)
      type: str
      sample: production
exit_code:
  description: The exit code for a command that ends with this error; 4 if another job holds the lock.
  returned: failure
  type: int
  sample: 4
"""
