from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.instances.status import Status
from ansible_ensemble.records.outputs import finish_outputs

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {port: {type: integer, default: 80}}
  outputs:
    port: {value: {get_input: port}}
    home: {value: {eval: {local: nothing}}}
  node_templates:
    app: {type: tosca.nodes.Root}
"""


@pytest.mark.parametrize(
    ("earlier", "outputs", "warning"),
    [
        ({}, {"port": 80}, 'The output "home" has no value: '),
        ({"home": "/srv", "gone": 1}, {"port": 80, "home": "/srv"}, 'The output "home" is that of an earlier job: '),
    ],
)
def test_an_output_that_fails_is_told_and_leaves_the_others(
    job: Any, earlier: dict[str, Any], outputs: dict[str, Any], warning: str
) -> None:
    read = job(SERVICE)
    read.instance("app", status=Status.OK.value)
    ensemble = read.ensemble
    ensemble.instances.outputs = earlier
    report: dict[str, Any] = {"warnings": [], "job": {}}
    finish_outputs(ensemble, report)
    assert report["outputs"] == outputs
    (told,) = report["warnings"]
    assert told.startswith(warning)
    assert "service.yaml:6:26" in told
