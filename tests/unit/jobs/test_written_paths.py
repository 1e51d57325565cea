"""Texts that can be no path, wherever a path is written: nothing of the file system's comes out of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.paths import is_file, is_folder, is_there, resolved
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.validate import validate_path

#: What is written, as YAML.
TEXTS = {
    "too long": "x" * 300,
    "too deep": "x/" * 3000 + "y",
    "from the root": "/" + "x" * 5000,
    "a null byte": '"a\\0b"',
    "a link to itself": "loop/x",
    "nobody's home": "~nobody/x",
    "a null byte in a URL": '"file:///a%00b"',
    "a URL that is none": '"http://[x"',
    "the folder itself": ".",
    "the folder above": "..",
}
VERSION = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
NODE = VERSION + "topology_template: {node_templates: {a: {type: tosca.nodes.Root, %s}}}\n"
CREATE = NODE % "interfaces: {Standard: {operations: {create: %s}}}"
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\n"
INLINE = "spec: {service_template: {topology_template: {node_templates: {a: {type: tosca.nodes.Root%s}}}}}\n"
#: Where it is written.
FILES = {
    "import": VERSION + "imports: [@]\n",
    "repository": VERSION + "repositories: {r: @}\nimports: [{file: a.yaml, repository: r}]\n",
    "include": "+include: @\n" + VERSION,
    "optional include": "+?include: @\n" + VERSION,
    "implementation": CREATE % "@",
    "dependency": CREATE % "{implementation: {primary: 'echo 1', dependencies: [@]}}",
    "configurator": CREATE % "{implementation: {className: @}}",
    "operation_host": CREATE % "{implementation: {primary: 'echo 1', operation_host: @}}",
    "terraform": CREATE % "{implementation: {className: terraform}, inputs: {main: @}}",
    "artifact": NODE % "artifacts: {f: {type: tosca.artifacts.File, file: @}}",
    "name of a node": VERSION + "topology_template: {node_templates: {@: {type: tosca.nodes.Root}}}\n",
    "output": VERSION + "topology_template: {outputs: {x: {value: {eval: {abspath: @}}}}}\n",
    "service template": ENSEMBLE + "spec: {service_template: @}\n",
    "external": ENSEMBLE + "environment: {external: {o: @}}\n" + INLINE % ", directives: [select]",
    "repository of the environment": ENSEMBLE + "environment: {repositories: {o: @}}\n" + INLINE % "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_it_is_refused_or_names_nothing(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    path = tmp_path / ("ensemble.yaml" if "kind" in file else "service.yaml")
    path.write_text(file.replace("@", text))
    told = validate_path(str(path), JobOptions())["errors"]
    assert all(error["message"] for error in told)
    try:
        read = read_ensemble(locate(path), JobOptions(inventory=None))
        plan_workflow(read, "deploy", JobOptions())
        read.evaluator.outputs()
    except EnsembleError as error:
        assert error.message
    else:
        assert told == []


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_ensemble_of_a_project(tmp_path: Path, text: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "ensemble-project.yaml").write_text(f"ensembles: [{{file: {text}}}]\n")
    assert validate_path(str(tmp_path), JobOptions())["errors"]


@pytest.mark.parametrize("text", ["x" * 300, "a\0b", "loop/x"])
def test_nothing_is_there(tmp_path: Path, text: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    path = tmp_path / text
    assert (is_file(path), is_folder(path), is_there(path)) == (False, False, False)
    assert resolved(path).name in (path.name, "x")
