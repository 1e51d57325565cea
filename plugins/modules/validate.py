#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.validate``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: validate
short_description: Check an ensemble for errors
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Finds everything that is wrong with an ensemble, a service template or an archive (CSAR), whatever is deployed of
    it.
  - Fails if there are errors. Runs nothing and changes nothing.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.validate
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
  diff_mode:
    description: Shows what changed.
    support: none
options:
  part:
    description: The file is a part of a larger one; unmet requirements and missing implementation files are warnings.
    type: bool
    default: false
seealso:
  - module: tosca.ensemble.plan
"""

EXAMPLES = r"""
- name: Check the topology before anything else
  tosca.ensemble.validate:
    ensemble: web/ensemble.yaml
"""

RETURN = r"""
valid:
  description: Whether there are no errors.
  returned: when the file was read
  type: bool
  sample: true
file:
  description: The file that was checked.
  returned: when the file was read
  type: str
  sample: web/service.yaml
counts:
  description: How many there are of what a valid file declares.
  returned: when the file was read
  type: dict
  sample: {node_templates: 2, inputs: 1}
missing_inputs:
  description: Inputs that a job needs a value for.
  returned: when the file was read
  type: list
  elements: str
  sample: [port]
errors:
  description: What is wrong.
  returned: when the file was read
  type: list
  elements: dict
  contains:
    file:
      description: The file that it is in, or null.
      returned: always
      type: str
      sample: web/service.yaml
    line:
      description: The line, or null.
      returned: always
      type: int
      sample: 3
    column:
      description: The column, or null.
      returned: always
      type: int
      sample: 1
    message:
      description: What is wrong.
      returned: always
      type: str
      sample: there is no type Sho
    hint:
      description: What to do, or null.
      returned: always
      type: str
      sample: did you mean Shop?
    text:
      description: All of this as text.
      returned: always
      type: str
      sample: "web/service.yaml:3:1: there is no type Sho (did you mean Shop?)"
warnings:
  description: What may be wrong.
  returned: when the file was read
  type: list
  elements: str
notices:
  description: The same, each with the C(code) of its kind, its C(effect), and as C(remedy) what to do.
  returned: when the file was read
  type: list
  elements: dict
msg:
  description: The errors as text.
  returned: failure
  type: str
  sample: "web/service.yaml:3:1: there is no type Sho (did you mean Shop?)"
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 3
"""
