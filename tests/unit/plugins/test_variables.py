"""The variables of jobs, as plugins read them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

from tests.unit.plugins.test_documentation import collection

__all__ = ["collection"]

HANDED = "{{ ensemble_stats.outputs.url | default(omit) }}"


@pytest.mark.parametrize(
    ("variables", "inputs"),
    [({"ensemble_stats": {"outputs": {"url": "http://a"}}}, {"url": "http://a", "size": 1}), ({}, {"size": 1})],
)
def test_an_input_that_a_variable_omits_is_not_given(variables: dict[str, Any], inputs: dict[str, Any]) -> None:
    from ansible_collections.tosca.ensemble.plugins.plugin_utils.variables import input_variables

    extra = {"input_url": trust_as_template(HANDED), "input_size": 1, "other": "{{ undefined }}"}
    assert input_variables(extra, Templar(DataLoader(), variables=variables).template) == inputs
