#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.unlock``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: unlock
short_description: Remove the lock of a holder that is gone
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Removes the lock of an ensemble, whoever holds it. Do so only if the holder is known to be gone, as after a crash of
    another machine; a lock whose process is gone from this machine is taken over by the next job anyway.
  - An ensemble that is not locked stays as it is. A lock with another id is not removed.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.info
  - tosca.ensemble.options.action
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: none
    details: Skipped in check mode.
  diff_mode:
    description: Shows what changed.
    support: none
options:
  lock_id:
    description: Its id, as the message about the lock has it, so that no newer lock is removed.
    type: str
    required: true
seealso:
  - module: tosca.ensemble.lock
"""

EXAMPLES = r"""
- name: Remove the lock that a machine left which is no more
  tosca.ensemble.unlock:
    ensemble: web/ensemble.yaml
    lock_id: 0f1e2d3c4b5a6978
"""

RETURN = r"""
exit_code:
  description: The exit code for a command that ends with this error.
  returned: failure
  type: int
  sample: 2
"""
