# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lookup plugin ``tosca.ensemble.attribute``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: attribute
short_description: An attribute or property of an instance
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Reads an attribute of an instance as the ensemble's status records it; if there is none of this name, the property.
  - Nothing is run and nothing changes.
options:
  _terms:
    description: What to read, as C(instance.attribute); more names, or numbers, go into a nested value.
    type: list
    elements: str
    required: true
  ensemble:
    description: The C(ensemble.yaml), or the folder that holds it.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Tell the load balancer
  ansible.builtin.uri:
    url: http://balancer.example/backends
    method: POST
    body_format: json
    body:
      backend: "{{ lookup('tosca.ensemble.attribute', 'app.url', ensemble='web/ensemble.yaml') }}"
"""

RETURN = r"""
_list:
  description: The values, in the order of the terms.
  type: list
  elements: raw
"""

import difflib
from collections.abc import Iterable
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import EnsembleFailure, package


class LookupModule(LookupBase):
    """Reads values out of an ensemble's status through the package."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        """The values of the terms.

        Raises:
            AnsibleLookupError: the ensemble cannot be read, or it records no such value.
        """
        self.set_options(var_options=variables, direct=kwargs)
        try:
            with package() as jobs:
                found = jobs.inventory(self.get_option("ensemble"), loader=self._loader)["instances"]
        except EnsembleFailure as failure:
            raise AnsibleLookupError(failure.text) from failure
        instances = {name: instance["recorded"] for name, instance in found.items()}
        return [_read(instances, term) for term in terms]


def _read(instances: dict[str, Any], term: str) -> Any:
    name, _dot, path = term.partition(".")
    if not path:
        raise AnsibleLookupError(f"{term} names an instance, but none of its attributes")
    instance = _get(instances, name, f"the ensemble has no instance {name}")
    value: Any = {**instance["properties"], **instance["attributes"]}
    for part in path.split("."):
        problem = f"{term}: there is no {part}"
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict):
            value = _get(value, part, problem)
        else:
            raise AnsibleLookupError(problem)
    return value


def _get(values: dict[str, Any], name: str, problem: str) -> Any:
    if name in values:
        return values[name]
    raise AnsibleLookupError(problem + _nearest(name, values))


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
