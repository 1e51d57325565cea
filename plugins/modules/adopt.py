#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.adopt``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: adopt
short_description: Record an instance that exists already
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Records an instance of the topology as being there, with these attributes, without checking that it exists.
  - It counts as not created by the ensemble, so undeploy leaves it alone. Of an instance that is recorded already, only
    the attributes are set.
  - To check it first, run the playbook C(tosca.ensemble.adopt), or a job of the workflow C(adopt).
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
  instance:
    description: The instance, by the name of its template.
    type: str
    required: true
  attributes:
    description: Attributes to record of it.
    type: dict
    default: {}
seealso:
  - module: tosca.ensemble.forget
"""

EXAMPLES = r"""
- name: The database is there already
  tosca.ensemble.adopt:
    ensemble: web/ensemble.yaml
    instance: db
    attributes:
      url: postgresql://db.example/web
"""

RETURN = r"""
adopted:
  description: The instance.
  returned: success
  type: str
  sample: db
attributes:
  description: Its attributes; sensitive values are masked.
  returned: success
  type: dict
  sample: {url: "postgresql://db.example/web"}
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 3
"""
