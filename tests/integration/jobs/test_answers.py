"""Who may launch a job, and not write its files, gives plain inputs: answers to surveys, and AWX's other variables.

AWX marks what such people write as unsafe, so that Ansible does not take it for templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ENSEMBLE = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec:
  service_template:
    tosca_definitions_version: tosca_simple_yaml_1_3
    topology_template:
      inputs: {text: {type: string, default: x}, more: {type: map, default: {}, entry_schema: {type: string}}}
      outputs: {text: {value: {get_input: text}}, more: {value: {get_input: more}}}
"""
MARK = "made"
TEMPLATE = f"!unsafe \"{{{{ lookup('pipe', 'touch {MARK}') }}}}\""
HOSTILE = {
    "a survey's text": f"input_text: {TEMPLATE}",
    "a survey's map": 'input_more: !unsafe "{a: {eval: {lookup: {pipe: touch made}}}}"',
    "a variable": f"ensemble_inputs: {{text: {TEMPLATE}}}",
    "a part of a variable": f"ensemble_inputs: {{more: {{a: {TEMPLATE}}}}}",
    "an option": f"ensemble_options: {{inputs: {{text: {TEMPLATE}}}}}",
    "a function": "input_more: {a: {eval: {lookup: {pipe: touch made}}}}",
    "a function of the environment": "ensemble_inputs: {text: {get_env: HOME}}",
}


@pytest.mark.parametrize(
    ("given", "workflow"),
    [
        pytest.param(given, workflow, id=f"{name}, {workflow}")
        for name, given in HOSTILE.items()
        for workflow in ("deploy", "validate")
        if (name, workflow) != ("an option", "validate")  # which has no such options
    ],
)
def test_what_others_give_is_not_evaluated(
    given: str, workflow: str, command: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    (tmp_path / "given.yaml").write_text(f"ensemble: ensemble.yaml\n{given}\n")
    done = command(f"tosca.ensemble.{workflow}", "-e", "@given.yaml", program="ansible-playbook")
    assert not (tmp_path / MARK).exists()
    assert done.code != 0, done.output
    assert re.search(r"is computed, and here inputs are plain|'more' .* is not of type map", done.output), done.output
