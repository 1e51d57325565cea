# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test plugin ``tosca.ensemble.ensemble_ok``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ensemble_ok
short_description: Whether something of an ensemble is well
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Of a job's result, whether the job did what it is for.
  - Of an ensemble, an instance or an operation, or of a status itself, whether the status is V(ok).
options:
  _input:
    description: >-
      C(ensemble_job), a result of M(tosca.ensemble.record) or M(tosca.ensemble.info), one of their instances or
      operations, or a status.
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Stop unless the web is well
  ansible.builtin.assert:
    that: web is tosca.ensemble.ensemble_ok

- name: Tell which instances are not
  ansible.builtin.debug:
    msg: "{{ web.instances | reject('tosca.ensemble.ensemble_ok') | map(attribute='name') }}"
"""

RETURN = r"""
_value:
  description: Whether it is.
  type: bool
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.results import is_ok


def ensemble_ok(value: Any) -> bool:
    """Whether a job succeeded, or a status is ok."""
    ok: bool = is_ok(value)
    return ok


class TestModule:
    """Offers the test."""

    def tests(self) -> dict[str, Callable[..., Any]]:
        """The test by its name."""
        return {"ensemble_ok": ensemble_ok}
