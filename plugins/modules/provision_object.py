#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_object``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_object
short_description: Create, change or remove an object of a server of machines
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Brings a task, stage, workflow, template, profile or another object of a server of machines into a state. Fields
    that are not named stay as they are.
  - Objects that came with content are read-only; M(tosca.ensemble.provision_content) loads content.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.state
  - tosca.ensemble.provision.manner
  - tosca.ensemble.provision.change
options:
  kind:
    description: The kind of object.
    type: str
    required: true
    # >>> kinds_documented change (make generate)
    choices: [bootenvs, catalog_items, contexts, endpoints, leases, machines, params, plugin_providers, plugins, pools,
      profiles, reservations, roles, stages, tasks, templates, tenants, users, version_sets, workflows]
    # <<<
  name:
    description: Its name; of a template, its ID.
    type: str
    required: true
  object:
    description:
      - Its fields, by the names of the wire. Each is replaced as a whole, except C(Params) and C(Meta).
      - A field that there is not, or that the server computes, is refused.
    type: dict
"""

EXAMPLES = r"""
- name: A template
  tosca.ensemble.provision_object:
    kind: templates
    name: hello.sh
    object:
      Contents: |
        #!/bin/sh
        echo "Hello from {% raw %}{{.Machine.Name}}{% endraw %}"

- name: A task that runs it
  tosca.ensemble.provision_object:
    kind: tasks
    name: hello
    object:
      Templates:
        - Name: say
          ID: hello.sh

- name: A stage
  tosca.ensemble.provision_object:
    kind: stages
    name: greet
    object:
      Tasks: [hello]

- name: A workflow
  tosca.ensemble.provision_object:
    kind: workflows
    name: first
    object:
      Stages: [greet]

- name: A secure param
  tosca.ensemble.provision_object:
    kind: params
    name: bmc/password
    object:
      Secure: true
      Schema:
        type: string
"""

RETURN = r"""
object:
  description: The object as it is, or would be in check mode, by the names of the wire; empty if it is not there.
    Secrets are left out, and values of secure params are V((hidden\)).
  returned: success
  type: dict
  contains:
    Name:
      description: Its name; templates have an C(ID) instead.
      returned: O(state=present)
      type: str
      sample: greet
    Available:
      description: Whether it may be used.
      returned: O(state=present)
      type: bool
      sample: true
    Errors:
      description: Why it may not be used.
      returned: O(state=present)
      type: list
      elements: str
      sample: []
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
