# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter plugin ``tosca.ensemble.ensemble_outputs``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble_outputs
short_description: Outputs of a result
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Gives the outputs of the topology out of a job's result or of what M(tosca.ensemble.info) found, or one of them.
  - An output that is not there is an error that names the nearest one.
positional: name
options:
  _input:
    description: C(ensemble_job), or a result of M(tosca.ensemble.record) or M(tosca.ensemble.info).
    type: dict
    required: true
  name:
    description: The output; without it, the map of all.
    type: str
"""

EXAMPLES = r"""
- name: Where is it
  ansible.builtin.debug:
    msg: "{{ ensemble_job | tosca.ensemble.ensemble_outputs('url') }}"
"""

RETURN = r"""
_value:
  description: The output, or all of them by name.
  type: raw
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.results import one_of, part_of


def ensemble_outputs(result: Any, name: str | None = None) -> Any:
    """The outputs of a result, or the one of this name."""
    outputs = part_of(result, "outputs")
    return outputs if name is None else one_of(outputs, name, "output")


class FilterModule:
    """Offers the filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The filter by its name."""
        return {"ensemble_outputs": ensemble_outputs}
