from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_again, read_ensemble
from ansible_ensemble.jobs.inspection import history, show
from ansible_ensemble.projects.vault import Vault

INLINE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec:
  service_template:
    +include: types.yaml
    tosca_definitions_version: tosca_simple_yaml_1_3
    topology_template:
      inputs: { password: { type: string, default: x } }
      node_templates:
        app: { type: App, properties: { prot: 80 } }
"""
TYPES = """\
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: { port: { type: sting } }
"""


@pytest.mark.parametrize("path", ["~no-such-user-here/x", "x" * 300, "a\0b"])
def test_a_path_that_can_be_none_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput, match="there is no file"):
        locate(path)


NO_ENSEMBLES = {
    "a plan": ('{"apiVersion": "tosca-ensemble/v1", "kind": "Plan"}', "not an ensemble, but of the kind 'Plan'"),
    "a project": ("apiVersion: tosca-ensemble/v1\nkind: Project\n", "not an ensemble, but of the kind 'Project'"),
    "something else": ('{"format_version": "1.2", "planned_values": {}}', "neither an ensemble nor a service template"),
    "a text": ("remember the milk\n", "neither an ensemble nor a service template"),
    "a list": ("- kind\n- spec\n", "neither an ensemble nor a service template"),
}


@pytest.mark.parametrize(("text", "message"), NO_ENSEMBLES.values(), ids=NO_ENSEMBLES)
@pytest.mark.parametrize("command", [lambda path: history(path, {}), lambda path: show(path, "A6BLKsK50000", {})])
def test_a_file_that_is_no_ensemble_never_stands_for_the_one_beside_it(
    tmp_path: Path, command: Callable[..., object], text: str, message: str
) -> None:
    (tmp_path / "ensemble.yaml").write_text(INLINE)
    (tmp_path / "other").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        command(str(tmp_path / "other"))


@pytest.mark.parametrize("secret", [False, True], ids=["plain", "with a secret"])
def test_errors_of_a_template_inside_the_ensemble_have_their_places(tmp_path: Path, secret: bool) -> None:
    (tmp_path / "password").write_text("of the tests\n")
    text = INLINE
    if secret:
        closed = Vault([str(tmp_path / "password")]).encrypt("s3cret").replace("\n", "\n      ")
        text += f"  inputs:\n    password: !vault |\n      {closed}\n"
    (tmp_path / "ensemble.yaml").write_text(text)
    (tmp_path / "types.yaml").write_text(TYPES)
    with pytest.raises(InvalidInputs) as raised:
        read_ensemble(locate(tmp_path), JobOptions(vault_password_file=str(tmp_path / "password")))
    places = {(Path(error.place.file).name, error.place.line) for error in raised.value.errors if error.place}
    assert places == {("ensemble.yaml", 10), ("types.yaml", 4)}


SERVICE = """\
+include: types.yaml
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app: { type: App }
"""


@pytest.mark.parametrize("inside", [False, True], ids=["service template", "ensemble"])
def test_what_is_included_belongs_to_the_specification(tmp_path: Path, inside: bool) -> None:
    types = tmp_path / "types.yaml"
    types.write_text("node_types: { App: { derived_from: tosca.nodes.Root } }\n")
    (tmp_path / "service.yaml").write_text(SERVICE)
    template = "{ +include: service.yaml }" if inside else "service.yaml"
    text = f"apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec:\n  service_template: {template}\n"
    (tmp_path / "ensemble.yaml").write_text(text)
    before = read_ensemble(locate(tmp_path), JobOptions()).base
    assert read_ensemble(locate(tmp_path), JobOptions()).base == before
    types.write_text(types.read_text() + "# changed\n")
    assert read_ensemble(locate(tmp_path), JobOptions()).base["spec"] != before["spec"]


def test_files_of_the_project_and_of_its_repositories_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "inputs.yaml").write_text("color: red\n")
    (tmp_path / "project" / "web").mkdir(parents=True)
    project = "environments: { defaults: { repositories: { other: ../elsewhere } } }\n"
    (tmp_path / "project" / "ensemble-project.yaml").write_text(project)
    (tmp_path / "project" / "shared.yaml").write_text("size: 3\n")
    (tmp_path / "project" / "web" / "ensemble.yaml").write_text("""\
apiVersion: unfurl/v1.0.0
kind: Ensemble
spec:
  deployment_blueprint: none
  inputs:
    +include-shared: ../shared.yaml
    +include-other: { file: inputs.yaml, repository: other }
  service_template:
    topology_template:
      inputs: { size: { type: integer }, color: { type: string } }
""")
    ensemble = read_ensemble(locate(tmp_path / "project" / "web"), JobOptions())
    assert [ensemble.evaluator.input(name) for name in ("size", "color")] == [3, "red"]
    assert [text.partition(": ")[2] for text in ensemble.warnings] == ["`spec.deployment_blueprint` is ignored"]


ONE_APP = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app: { type: tosca.nodes.Root%s }
"""
STATUS = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: { service_template: service.yaml }
status: { instances: { app: { readyState: %s } } }
"""


def test_after_a_job_the_status_is_read_anew_and_the_specification_is_that_of_its_plan(tmp_path: Path) -> None:
    service, file, options = tmp_path / "service.yaml", tmp_path / "ensemble.yaml", JobOptions()
    service.write_text(ONE_APP % "")
    file.write_text(STATUS % "pending")
    ensemble = read_ensemble(locate(tmp_path), options)
    service.write_text("changed: [meanwhile")
    file.write_text(STATUS % "ok" + "# a comment\n")
    again = read_again(ensemble, options)
    assert again.topology is ensemble.topology
    assert again.instances.by_name["app"].status.value == "ok"
    assert again.document is not None
    assert again.document.text.endswith("# a comment\n")
    assert read_again(again, options).document is again.document
    assert (again.base["spec"], again.base["status"] == ensemble.base["status"]) == (ensemble.base["spec"], False)


def test_a_specification_that_is_bound_to_others_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(ONE_APP % ", directives: [select]")
    ensemble = read_ensemble(locate(tmp_path / "service.yaml"), JobOptions())
    assert read_again(ensemble, JobOptions()).topology is not ensemble.topology


SPOILT = {
    "a number for the status": ("status: 5", "status is an integer"),
    "a list of instances": ("status: { instances: [app] }", "status.instances is a list"),
    "a text for the last job": ("lastJob: A6BLKsK50000", "lastJob is a string"),
    "nothing": (None, "there is no file|cannot be read"),
}


@pytest.mark.parametrize(("section", "message"), SPOILT.values(), ids=SPOILT)
def test_a_file_that_was_spoilt_during_a_job_is_refused(tmp_path: Path, section: str | None, message: str) -> None:
    file = tmp_path / "ensemble.yaml"
    (tmp_path / "service.yaml").write_text(ONE_APP % "")
    file.write_text(STATUS % "pending")
    ensemble = read_ensemble(locate(file), JobOptions())
    file.unlink()
    if section is not None:
        file.write_text(f"{STATUS.rpartition('status:')[0]}{section}\n")
    with pytest.raises(InvalidInput, match=message):
        read_again(ensemble, JobOptions())


def test_a_file_that_was_read_to_tell_what_it_is_is_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "ensemble.yaml"
    (tmp_path / "service.yaml").write_text(ONE_APP % "")
    file.write_text(STATUS % "pending")
    location = locate(file)
    assert read_ensemble(location, JobOptions()).document is location.document
    file.write_text(STATUS % "ok")  # as another job may, before this one has the lock
    assert read_ensemble(location, JobOptions()).instances.by_name["app"].status.value == "ok"


def test_keys_of_a_map_may_be_of_several_kinds(tmp_path: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text(
        """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec:
  service_template:
    node_types:
      App:
        derived_from: tosca.nodes.Root
        properties: {m: {type: map}}
        interfaces: {Standard: {operations: {configure: {implementation: ls, inputs: {n: {1: a, b: c}}}}}}
    topology_template:
      node_templates:
        app: {type: App, properties: {m: {2: a, true: b, null: c, 1.5: d, e: f}}}
"""
    )
    read = read_ensemble(locate(tmp_path), JobOptions())
    plan = plan_workflow(read, "deploy", JobOptions())
    assert [one.key for one in plan.operations] == ["app:Standard.configure"]
