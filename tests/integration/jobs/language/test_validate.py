"""The command `validate`: the ledger's verdicts, whatever file it is given, as text and as JSON."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import read_yaml

LEDGER = read_yaml(Path(__file__).parents[3] / "unit/topology/ledger.yaml").data
#: Accepted as parts of a whole, of which a node or a type that they need is another part.
PARTS = {
    "tosca-parser-samples/custom_types/collectd.yaml",
    "tosca-parser-samples/custom_types/kibana.yaml",
    "tosca-parser-samples/custom_types/rsyslog.yaml",
    "tosca-parser-samples/node_filter/test_node_filter.yaml",
    "tosca-parser-samples/topology_template/definitions_1_2.yaml",
}


def test_the_verdicts_on_the_probes_are_those_of_the_ledger(command: Any, probes: Path) -> None:
    check(command, probes, LEDGER["probes"])


def test_the_verdicts_on_parts_are_those_of_the_ledger(command: Any, corpus_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus_folder, tmp_path / "corpus")
    (tmp_path / "ensemble-project.yaml").write_text("environments: {}\n")
    verdicts = {name: None if name in PARTS else why for name, why in LEDGER["corpus"].items()}
    check(command, tmp_path / "corpus", verdicts, "--part")


def check(command: Any, folder: Path, verdicts: dict[str, str | None], *options: str) -> None:
    names = list(verdicts)
    done = command("validate", *options, "--output", "json", *(str(folder / name) for name in names))
    found = dict(zip(names, json.loads(done.stdout)["files"], strict=True))
    refused = {name for name, file in found.items() if file["errors"]}
    assert refused == {name for name, why in verdicts.items() if why is not None}
    assert done.code == 3
    assert all(error["file"] and error["message"] for file in found.values() for error in file["errors"])


def test_a_part_need_not_have_the_implementing_files(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(PART)
    done = command("validate", "service.yaml")
    assert (done.code, "the file x.sh of the operation Standard.create does not exist" in done.output) == (3, True)
    done = command("validate", "--part", "service.yaml")
    assert (done.code, "Warning: " in done.output) == (0, True)
    (tmp_path / "x.sh").write_text("true\n")
    assert command("validate", "service.yaml").code == 0


def test_a_part_need_not_have_the_types(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(UNTYPED)
    done = command("validate", "--part", "service.yaml")
    assert (done.code, "Warning: service.yaml:4:15: unknown node type 'Theirs'" in done.output) == (0, True)
    assert command("validate", "service.yaml").code == 3
    (tmp_path / "service.yaml").write_text(UNTYPED.replace("tosca.nodes.Root", "tosca.nodes.Root, properties: {x: 1}"))
    done = command("validate", "--part", "service.yaml")
    assert (done.code, "has no property 'x'" in done.output) == (3, True)


UNTYPED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a: {type: Theirs, properties: {any: 1}}
    b: {type: Ours, properties: {any: 1}, requirements: [dependency: a]}
    c: {type: tosca.nodes.Root}
node_types: {Ours: {derived_from: Theirs}}
"""
PART = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {create: x.sh}}}}
"""


@pytest.mark.parametrize("section", ["probes", "corpus"])
def test_no_file_at_all_ends_in_a_traceback(command: Any, collected: Callable[[str], Path], section: str) -> None:
    files = [str(file) for file in sorted(collected(section).rglob("*")) if file.suffix in (".yaml", ".yml", ".zip")]
    done = command("validate", "--output", "json", *files)
    assert done.code == 3
    assert len(json.loads(done.stdout)["files"]) == len(files)
    assert "Traceback" not in done.output
    assert "defect" not in done.output


PYTHON = """
import tosca
from tosca import GB, Size

class Server(tosca.nodes.Root):
    size: Size = 4 * GB

class App(tosca.nodes.Root):
    port: int = 8080
    server: Server
    script: tosca.artifacts.Root = tosca.artifacts.Root(file="configure.sh")

    def configure(self, **options):
        return self.script.execute(port=self.port)

app = App(port=9000, server=Server())
"""


def test_a_service_template_in_python(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(PYTHON)
    (tmp_path / "configure.sh").write_text("#!/bin/sh\necho port $port > seen\n")
    (tmp_path / "configure.sh").chmod(0o755)
    done = command("validate", "service.py")
    if importlib.util.find_spec("tosca") is None:
        assert done.code == 3
        assert "pip install 'ansible-ensemble[dsl]'" in done.output
        return
    assert done.code == 0, done.output
    report = json.loads(command("deploy", "--approve", "--output", "json", "service.py").stdout)
    assert [(task["instance"], task["operation"]) for task in report["tasks"]] == [("app", "Standard.configure")]
    assert (tmp_path / "seen").read_text() == "port 9000\n"
    for text, message in (
        ("import os\nos.getcwd()\n", "not permitted"),
        (PYTHON.replace("self.script.execute(port=self.port)", "open('/etc/passwd').read()"), "'open' is not defined"),
        (PYTHON.replace("self.script.execute(port=self.port)", "__import__('os').getcwd()"), "invalid variable name"),
        (PYTHON.replace("self.script.execute(port=self.port)", "'ls'"), "does not say what runs"),
    ):
        (tmp_path / "service.py").write_text(text)
        done = command("validate", "service.py")
        assert (done.code, message in done.output, "Traceback" in done.output) == (3, True, False), done.output
