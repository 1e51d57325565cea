#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.forget``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: forget
short_description: Remove instances from the status
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Removes instances from the recorded status, without deleting anything.
  - An instance that is not recorded is left out. One that hosts others is only forgotten together with them.
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
  instances:
    description: The instances.
    type: list
    elements: str
    required: true
seealso:
  - module: tosca.ensemble.adopt
"""

EXAMPLES = r"""
- name: Somebody else takes care of the database from now on
  tosca.ensemble.forget:
    ensemble: web/ensemble.yaml
    instances: [db]
"""

RETURN = r"""
forgotten:
  description: The instances that were recorded, and are no longer.
  returned: success
  type: list
  elements: str
  sample: [db]
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 3
"""
