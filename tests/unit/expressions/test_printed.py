"""What a template prints in Unfurl's dialect is data where it looks like it, and text where a type asks for text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.expressions.printed import literal
from ansible_ensemble.views.data import MISSING

ENSEMBLE = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
spec:
  service_template:
    tosca_definitions_version: tosca_simple_unfurl_1_0_0
    node_types:
      App:
        derived_from: tosca.nodes.Root
        properties:
          text: {type: string, default: "{{ '[1, 2]' }}"}
          number: {type: integer, default: "{{ '7' }}"}
          numbers: {type: list, default: "{{ '[1, 2]' }}"}
        interfaces:
          Standard:
            inputs: {text: {type: string, default: "{{ '{}' }}"}, undeclared: "{{ '{}' }}"}
            operations: {configure: echo}
    topology_template:
      node_templates:
        other: {type: App, requirements: [{dependency: failed}]}
        failed: {type: App}
        app: {type: App, properties: {free: "{{ SELF.text }}", secret: "{{ '7' | sensitive }}"}}
status:
  instances:
    other: {template: other, readyState: {local: ok, state: started}}
    failed: {template: failed, readyState: {local: error, state: started}}
    app: {template: app, readyState: {local: ok, state: started}}
"""


@pytest.mark.parametrize(
    ("text", "data"),
    [
        *[
            ("5", 5),
            ("-5", -5),
            ("1.5", 1.5),
            ("None", None),
            ("True", True),
            ("(1, 'a')", (1, "a")),
            ("80,443", (80, 443)),
        ],
        *[("{'a': [1]}", {"a": [1]}), ("[]", []), ("5 ", 5)],
        *[
            (text, MISSING)
            for text in ("", "a", " 5", "1.10", "007", "0x10", "1e3", "1_000", "'a'", "{1}", "b'x'", "1+2j")
        ],
        *[
            (text, MISSING)
            for text in ("5 GB", "10.0.0.1", "true", "...", "[" * 100_000, "9" * 5000, "(", "f()", "a.b")
        ],
    ],
)
def test_a_literal_is_data_where_nothing_of_it_is_lost(text: str, data: Any) -> None:
    assert literal(text) == data


def test_types_decide_what_text_is(tmp_path: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    read = read_ensemble(locate(tmp_path), JobOptions(inventory=None))
    app = read.instances.get("app")
    operation = read.topology.node_templates["app"].interfaces["Standard"].operations["configure"]
    scope = read.evaluator.scope(app, operation=operation)
    assert scope.property("text") == "[1, 2]"
    assert scope.property("number") == 7
    assert scope.property("numbers") == [1, 2]
    assert scope.property("free") == [1, 2]
    assert scope.property("secret") == "7"
    assert scope.inputs["text"] == "{}"
    assert scope.inputs["undeclared"] == {}


@pytest.mark.parametrize(
    ("template", "data"),
    [
        ("{{ {'a': 1} | to_json }}", '{"a": 1}'),
        ("{{ '5' | string if true else '' }}", "5"),
        ("{{ '5' | ansible.builtin.string }}", "5"),
        ("{{ '5' | string | trim }}", 5),
        ("{{ '5' | string }}0", 50),
        ("{% if true %}{{ '5' | string }}{% endif %}", "5"),
        ("{{ lookup('unfurl', '.::text') }}", [1, 2]),
        ({"eval": {"lookup": {"env": "PRINTED"}}}, "5"),
        ({"eval": {"template": "{{ '[1, 2]' }}"}, "foreach": "$item"}, [1, 2]),
        ({"eval": {"if": "{{ 'False' }}", "then": {"q": 1}, "else": {"q": 2}}}, 2),
    ],
    ids=str,
)
def test_filters_of_text_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: Any, data: Any) -> None:
    monkeypatch.setenv("PRINTED", "5")
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", str(tmp_path))
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    read = read_ensemble(locate(tmp_path), JobOptions(inventory=None))
    assert read.evaluator.scope(read.instances.get("app")).evaluate(template) == data


def test_the_status_in_expressions_is_the_one_that_jobs_record(tmp_path: Path) -> None:
    for version in ("unfurl/v1alpha1", "tosca-ensemble/v1"):
        (tmp_path / "ensemble.yaml").write_text(ENSEMBLE.replace("unfurl/v1alpha1", version))
        read = read_ensemble(locate(tmp_path), JobOptions(inventory=None))
        other, failed = read.instances.get("other"), read.instances.get("failed")
        assert other is not None
        assert failed is not None
        scope = read.evaluator.scope(other)
        assert (scope.query(".status"), scope.query(".operational")) == ("error", False)
        failed.local = other.local
        assert (scope.query(".status"), scope.query(".operational")) == ("ok", True)
