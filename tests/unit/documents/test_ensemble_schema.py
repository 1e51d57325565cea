"""The schema of an ensemble, and our check against jsonschema's."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.documents.ensemble_schema import check_ensemble, ensemble_schema
from ansible_ensemble.documents.schema import violations
from ansible_ensemble.documents.yaml import parse_yaml

HEAD = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\n"
FULL = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
x-mine: &a {b: 1}
metadata: {name: n}
environment:
  variables: {A: b}
  execution: {jobs: 4, jobs_per_host: 1, fast_modules: false, stock_modules: [a.b.c]}
  lfs_lock: {lock: no, url: https://host/lfs, name: $ensemble_uri}
spec:
  service_template:
    +include: {file: a.yaml, repository: spec}
  inputs: {a: 1}
lock:
  runtime: {unfurl: {version: 1.2.0, digest: 3ea02871}}
  package_rules: []
  repositories:
  - {url: git-local://1e14, commit: a779, initial: 1e14, discovered_revision: '', branch: master, name: self}
status:
  inputs: {}
  outputs: {app_url: http://localhost:8080}
  instances:
    server:
      template: server
      priority: required
      readyState: {local: ok, state: created}
      lastConfigChange: A6BKKsK50001
      created: A6BKKsK50001
      instances:
        app:
          template: app
          attributes: {url: http://localhost:8080}
          properties: !vault abc
          readyState: ok
          created: ::server
        empty:
lastJob:
  changeId: A6BKKsK50000
  options: {commit: true}
  readyState: {local: ok}
  changelog: changes/job2026-11-20-20-54-20-A6BKKsK5.yaml
jobsLog: jobs.tsv
"""

VALID = [HEAD, FULL, HEAD + "spec: {service_template: a.yaml}\nstatus:\n", "+include: base.yaml\n"]

INVALID: list[tuple[str, list[str]]] = [
    ("- 1\n", ["x.yaml:1:1: the document is a list (it must be a map)"]),
    ("5\n", ["x.yaml:1:1: the document is an integer (it must be a map)"]),
    (
        "kind: Ensemble\napiVersion: v2\n",
        [
            "x.yaml:2:13: apiVersion is 'v2' (it must be one of tosca-ensemble/v1, unfurl/v1alpha1, unfurl/v1beta1,"
            " unfurl/v1.0.0)"
        ],
    ),
    (
        "{}\n",
        ["x.yaml:1:1: the document has no key 'apiVersion'", "x.yaml:1:1: the document has no key 'kind'"],
    ),
    (HEAD.replace("Ensemble", "Job"), ["x.yaml:2:7: kind is 'Job' (it must be Ensemble)"]),
    (HEAD + "statsu: {}\n", ["x.yaml:3:1: unknown key 'statsu' (did you mean status?)"]),
    (HEAD + "spec:\n  input: {}\n", ["x.yaml:4:3: unknown key 'input' in spec (did you mean inputs?)"]),
    (
        HEAD + "environment: {lfs_lock: {foo: 1}}\n",
        ["x.yaml:3:26: unknown key 'foo' in environment.lfs_lock (known are lock, url, name)"],
    ),
    (HEAD + "spec: {inputs: [1]}\n", ["x.yaml:3:16: spec.inputs is a list (it must be a map)"]),
    (HEAD + "lock: {repositories: [1]}\n", ["x.yaml:3:23: lock.repositories[0] is an integer (it must be a map)"]),
    (
        HEAD
        + "status:\n  instances:\n    a: {readyState: {local: fine}}\n    b: {instances: {c: {protected: 1, no: 2}}}\n",
        [
            "x.yaml:5:29: status.instances.a.readyState.local is 'fine' (it must be one of unknown, ok,"
            " degraded, drifted, error, pending, absent)",
            "x.yaml:6:36: status.instances.b.instances.c.protected is an integer (it must be true or false)",
            "x.yaml:6:39: unknown key 'no' in status.instances.b.instances.c (known are template, type,",
        ],
    ),
    (HEAD + "1: a\n", ["x.yaml:3:1: unknown key 1 (known are apiVersion"]),
]


@pytest.mark.parametrize("text", VALID)
def test_valid(text: str) -> None:
    check_ensemble(parse_yaml(text, "x.yaml"))


@pytest.mark.parametrize(("text", "messages"), INVALID)
def test_all_violations_are_reported_in_order(text: str, messages: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_ensemble(parse_yaml(text, "x.yaml"))
    errors = caught.value.errors if isinstance(caught.value, InvalidInputs) else [caught.value]
    assert len(errors) == len(messages)
    for error, message in zip(errors, messages, strict=True):
        assert str(error).startswith(message)


@pytest.mark.parametrize("text", [*VALID[:3], *(text for text, _ in INVALID)])
def test_the_schema_says_the_same_to_any_other_tool(text: str) -> None:
    data: Any = parse_yaml(text.replace("!vault abc", "{}"), "x.yaml").data
    schema = ensemble_schema()
    # JSON has no keys that are numbers.
    theirs = list(jsonschema.Draft202012Validator(schema).iter_errors(data)) if text != HEAD + "1: a\n" else [1]
    assert bool(theirs) == bool(violations(data, schema))


def test_the_schema_is_a_schema_and_uses_only_keywords_that_are_checked() -> None:
    schema = ensemble_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    known = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "enum", "const", "properties"}
    known |= {"patternProperties", "additionalProperties", "required", "items", "x-unheeded"}
    known |= {"minimum", "maximum"}
    waiting = [schema, *schema["$defs"].values()]
    while waiting:
        rule = waiting.pop()
        assert set(rule) <= known
        assert "description" in rule or set(rule) <= {"$ref", "type", "$schema"}
        waiting.extend(rule.get("properties", {}).values())
        waiting.extend(part for part in (rule.get("items"), rule.get("additionalProperties")) if isinstance(part, dict))


def test_of_another_kind_only_the_kind_is_wrong() -> None:
    text = "apiVersion: tosca-ensemble/v1\nkind: Plan\nworkflow: deploy\noperations: []\n"
    with pytest.raises(InvalidInput, match="kind is 'Plan'"):
        check_ensemble(parse_yaml(text, "plan.json"))


def test_a_section_that_a_merge_directive_names_is_one_of_unfurl_files() -> None:
    text = "kind: Ensemble\nparts: {a: {x: 1}}\nspec: {+?/parts/a: null}\napiVersion: "
    check_ensemble(parse_yaml(text + "unfurl/v1alpha1", "e.yaml"))
    with pytest.raises(InvalidInput, match="unknown key 'parts'"):
        check_ensemble(parse_yaml(text + "tosca-ensemble/v1", "e.yaml"))


def test_older_ensembles_of_unfurl_are_manifests() -> None:
    text = "kind: Manifest\nspec: {}\napiVersion: "
    assert check_ensemble(parse_yaml(text + "unfurl/v1alpha1", "e.yaml")) == []
    with pytest.raises(InvalidInput, match="kind is 'Manifest'"):
        check_ensemble(parse_yaml(text + "tosca-ensemble/v1", "e.yaml"))


def test_a_section_of_unfurl_files_that_is_not_known_is_told() -> None:
    text = """kind: Ensemble
apiVersion: unfurl/v1alpha1
spec: {+?/parts/a: null, +/spec/own/x: null, own: {x: 1}, own2: 1, servce_template: {}}
parts: {a: 1}
jobLog: x
"""
    told = [(str(one), one.remedy) for one in check_ensemble(parse_yaml(text, "e.yaml"))]
    assert [text for text, _remedy in told] == [
        "e.yaml:3:59: `spec.own2` is ignored",
        "e.yaml:3:68: `spec.servce_template` is ignored",
        "e.yaml:5:1: `jobLog` is ignored",
    ]
    assert "did you mean service_template?" in told[1][1]


@pytest.mark.parametrize("text", ["resources: {}\n", "tosca_definitions_version: tosca_simple_yaml_1_3\n"])
def test_a_service_template_in_its_place_is_one_error(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"ensemble\.yaml:1:1: this is a service template") as refused:
        check_ensemble(parse_yaml(text, "ensemble.yaml"))
    assert "a name of its own" in (refused.value.hint or "")
