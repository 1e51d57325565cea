# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter plugin ``tosca.ensemble.ensemble_operations``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble_operations
short_description: Operations of a job
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Gives the operations of a job's result, or those of an instance, a host or a status.
positional: instance
options:
  _input:
    description: C(ensemble_job), or a result of M(tosca.ensemble.record).
    type: dict
    required: true
  instance:
    description: Only those of this instance.
    type: str
  host:
    description: Only those that ran on this host.
    type: str
  status:
    description: Only those that ended with this status.
    type: str
  changed:
    description: Only those that changed something, or only those that did not.
    type: bool
"""

EXAMPLES = r"""
- name: Tell what failed
  ansible.builtin.debug:
    msg: "{{ item.instance }}: {{ item.error }}"
  loop: "{{ ensemble_job | tosca.ensemble.ensemble_operations(status='error') }}"
"""

RETURN = r"""
_value:
  description: The operations, as RV(tosca.ensemble.record#module:operations) has them.
  type: list
  elements: dict
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.results import part_of


def ensemble_operations(
    result: Any,
    instance: str | None = None,
    *,
    host: str | None = None,
    status: str | None = None,
    changed: bool | None = None,
) -> list[Any]:
    """The operations of a result that are as asked for."""
    asked = {"instance": instance, "host": host, "status": status}
    wanted = {name: value for name, value in asked.items() if value is not None}
    operations = [
        one for one in part_of(result, "operations") if all(one[name] == value for name, value in wanted.items())
    ]
    return [one for one in operations if changed is None or bool(one["changed"]) is changed]


class FilterModule:
    """Offers the filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The filter by its name."""
        return {"ensemble_operations": ensemble_operations}
