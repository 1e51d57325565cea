# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test plugin ``tosca.ensemble.ensemble_drifted``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble_drifted
short_description: Whether an ensemble drifted
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Whether a check found values that are not as recorded, by its result or by what M(tosca.ensemble.info) found.
positional: instance
options:
  _input:
    description: C(ensemble_job), or a result of M(tosca.ensemble.record) or M(tosca.ensemble.info).
    type: dict
    required: true
  instance:
    description: Only whether this instance drifted.
    type: str
"""

EXAMPLES = r"""
- name: Bring back what drifted
  ansible.builtin.include_role:
    name: tosca.ensemble.job
  vars:
    ensemble_repair: degraded
  when: ensemble_job is tosca.ensemble.ensemble_drifted
"""

RETURN = r"""
_value:
  description: Whether it did.
  type: bool
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.results import drifted


def ensemble_drifted(result: Any, instance: str | None = None) -> bool:
    """Whether there is drift, or an instance drifted."""
    found = drifted(result)
    return bool(found) if instance is None else instance in found


class TestModule:
    """Offers the test."""

    def tests(self) -> dict[str, Callable[..., Any]]:
        """The test by its name."""
        return {"ensemble_drifted": ensemble_drifted}
