#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.provision_content``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_content
short_description: Load or remove a pack of content
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Loads a pack of content as a whole, or not at all, in the place of what the server has of its name. It consists of
    tasks, stages, workflows, templates, params, profiles and bootenvs. Nothing is loaded if nothing differs.
  - A pack is checked before it is loaded. What is wrong is told with file, line and a hint.
extends_documentation_fragment:
  - tosca.ensemble.provision
  - tosca.ensemble.provision.state
  - tosca.ensemble.provision.change
options:
  src:
    description:
      - The folder of a pack, or a bundle file in YAML or JSON, on the controller.
      - A relative path is looked for where files of the role or the play are.
    type: path
  bundle:
    description: The pack itself, C(meta) and C(sections), instead of O(src).
    type: dict
  name:
    description: The name of the pack that is to be removed, with O(state=absent).
    type: str
  strict:
    description: Whether warnings of the check are errors.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Load the pack in a folder
  tosca.ensemble.provision_content:
    src: pack

- name: Load a pack that stands here
  tosca.ensemble.provision_content:
    bundle:
      meta:
        Name: site
      sections:
        profiles:
          site:
            Name: site
            Params:
              ntp/servers: [192.0.2.1]

- name: Remove it
  tosca.ensemble.provision_content:
    name: site
    state: absent
"""

RETURN = r"""
name:
  description: The name of the pack.
  returned: success
  type: str
  sample: site
sections:
  description: The keys of objects by section and by what happened to them, or would in check mode. What the pack says
    of itself is the section V(meta).
  returned: success
  type: dict
  sample:
    meta: {added: [site], changed: [], removed: [], unchanged: []}
    profiles: {added: [site], changed: [], removed: [], unchanged: []}
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 1
"""
