#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_info``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_info
short_description: Show objects of a server of machines
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Lists machines, jobs, profiles or other objects of a server of machines. Secrets are left out, and values of secure
    params are V((hidden\)).
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.info
options:
  kind:
    description: The kind of objects.
    type: str
    # >>> kinds_documented show (make generate)
    choices: [bootenvs, catalog_items, contexts, endpoints, jobs, leases, machines, params, plugin_providers, plugins,
      pools, profiles, reservations, roles, stages, tasks, templates, tenants, users, version_sets, workflows]
    # <<<
    default: machines
  name:
    description: The name of the only object to show; of a template its ID, of a job its UUID.
    type: str
  filters:
    description:
      - What fields are to be, by the names of the wire; C(Meta.NAME) and names of params are among them.
      - A value is what the field has to be, one of a list, or an operator such as V(Re(^web\)), V(Gt(3\)) or
        V(Between(a,b\)).
    type: dict
    default: {}
  sort:
    description: The field to sort by, or several with commas; by default the key.
    type: str
  reverse:
    description: Whether to sort the other way round.
    type: bool
    default: false
  limit:
    description: How many to show at most.
    type: int
  offset:
    description: How many to leave out first.
    type: int
  aggregate:
    description: Whether params that machines have from their profiles and stages are among theirs.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Machines of a workflow that are not through
  tosca.ensemble.provision_info:
    filters:
      Workflow: install
      WorkflowComplete: false
  register: waiting

- name: A machine with all its params
  tosca.ensemble.provision_info:
    name: web1
    aggregate: true
  register: web1

- name: The five profiles that come first
  tosca.ensemble.provision_info:
    kind: profiles
    limit: 5
"""

RETURN = r"""
objects:
  description: The objects, by the names of the wire.
  returned: success
  type: list
  elements: dict
  sample: [{Name: web1, Workflow: install, WorkflowComplete: false, Runnable: true}]
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
