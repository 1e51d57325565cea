# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter plugin ``tosca.ensemble.ensemble_instance``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble_instance
short_description: An instance of an ensemble
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Gives an instance by its name out of what M(tosca.ensemble.info) found.
  - An instance that is not recorded is an error that names the nearest one.
positional: name
options:
  _input:
    description: A result of M(tosca.ensemble.info) that has gathered the status.
    type: dict
    required: true
  name:
    description: The instance.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Wait for the port that it listens on
  ansible.builtin.wait_for:
    port: "{{ (web | tosca.ensemble.ensemble_instance('app')).properties.port }}"
"""

RETURN = r"""
_value:
  description: The instance, as RV(tosca.ensemble.info#module:instances) has it.
  type: dict
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.results import one_of, part_of


def ensemble_instance(result: Any, name: str) -> Any:
    """The instance of this name."""
    return one_of({one["name"]: one for one in part_of(result, "instances")}, name, "instance")


class FilterModule:
    """Offers the filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The filter by its name."""
        return {"ensemble_instance": ensemble_instance}
