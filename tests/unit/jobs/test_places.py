"""Where an error is, as its reader knows it: in the files that they wrote, or in what they gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.jobs.planned import make_plan

#: A node template of a shipped type; what is said of it.
OF_TYPES = {
    "{type: file.Template, properties: {path: /srv/x, template: no.j2}}": (
        r'web\.yaml:3:21: property page\.source: ".*no\.j2" cannot be read'
    ),
    "{type: systemd.Service, properties: {template: out.j2}}": (
        r"web\.yaml:3:21: property page\.source: the file 'out\.j2' leads out of the project"
    ),
    "{type: docker.Network, properties: {module: no.such.module}}": (
        r"^web\.yaml:3:\d+: 'page': the collection no\.such of the module [^\n]*$"
    ),
}


@pytest.mark.parametrize("written", OF_TYPES)
def test_of_a_shipped_type_is_where_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "out.j2").write_text("x")
    (project / "out.j2").symlink_to("../out.j2")
    version, topology = "tosca_definitions_version: tosca_simple_yaml_1_3", "topology_template: {node_templates:"
    (project / "web.yaml").write_text(f"{version}\n{topology}\n             {{page: {written}}}}}\n")
    monkeypatch.chdir(project)
    with pytest.raises(InvalidInput, match=OF_TYPES[written]):
        make_plan("web.yaml", "deploy", {})


#: What gives an input, by its file; the options of the job; where an error in it is.
GIVEN = {
    "the ensemble": ("spec: {service_template: s.yaml, inputs: {n: x}}", {}, "ensemble.yaml:3:46: input 'n': 'x'"),
    "its environment": (
        "environment: {inputs: {n: x}}\nspec: {service_template: s.yaml}",
        {},
        "ensemble.yaml:3:27: input 'n': 'x'",
    ),
    "the job": (
        "spec: {service_template: s.yaml, inputs: {n: 1}}",
        {"inputs": {"n": "x"}},
        "input 'n' (given by an option or a variable): 'x'",
    ),
    "a variable": (
        "spec: {service_template: s.yaml, inputs: {n: 1}}",
        {"variables": {"input_n": "x"}},
        "input 'n' (given by an option or a variable): 'x'",
    ),
}


@pytest.mark.parametrize("case", GIVEN)
def test_of_an_input_is_where_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    written, options, said = GIVEN[case]
    (tmp_path / "ensemble.yaml").write_text(f"apiVersion: tosca-ensemble/v1\nkind: Ensemble\n{written}\n")
    inputs = "topology_template: {inputs: {n: {type: integer}}}"
    (tmp_path / "s.yaml").write_text(f"tosca_definitions_version: tosca_simple_yaml_1_3\n{inputs}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as refused:
        make_plan("ensemble.yaml", "deploy", options)
    assert str(refused.value) == f"{said} is not of type integer"
