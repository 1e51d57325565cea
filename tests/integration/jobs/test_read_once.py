"""Each process of a command reads each YAML file once, and resolves the topology once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.matrix import sampled

#: Python runs this at the start of each process: it notes what is read, by whom.
NOTES = """
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from zlib import crc32


def note(what):
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(f"{os.getpid()} {what}\\n")


class Noting(MetaPathFinder):
    wanted = {"ansible_ensemble.documents.yaml", "ansible_ensemble.topology.service_template"}

    def find_spec(self, name, path, target=None):
        if name not in self.wanted:
            return None
        self.wanted = self.wanted - {name}
        spec = find_spec(name)
        spec.loader.exec_module, execute = (lambda module: (execute(module), noting(module))), spec.loader.exec_module
        return spec


def noting(module):
    if hasattr(module, "_Reader"):
        read = module._Reader.read
        # a definition of a shipped type is read when it is asked for, each by itself
        part = lambda source: f"{source.file}#{crc32(source.text.encode())}"
        module._Reader.read = lambda self: (note(part(self.source)), read(self))[1]
    else:
        load = module.load_topology
        module.load_topology = lambda *given, **named: (note("topology"), load(*given, **named))[1]


sys.meta_path.insert(0, Noting())
"""
PROJECT = "environments: {here: {inputs: {size: 1}}}\ndefault_environment: here\n"
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
topology_template:
  inputs: {size: {type: integer}}
  node_templates:
    web: {type: Web, properties: {size: {get_input: size}}}
    other: {type: Web, requirements: [{dependency: web}]}
"""
TYPES = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Web:
    derived_from: tosca.nodes.Root
    properties: {size: {type: integer, default: 2}}
    interfaces:
      Standard: {operations: {create: echo made, delete: echo gone}}
      Install: {operations: {check: echo there}}
"""
READ = {"ensemble-project.yaml", "ensemble.yaml", "service.yaml", "types.yaml", "topology"}


@pytest.mark.parametrize("file", sampled(["ensemble.yaml", "service.yaml"], 2))
def test_each_process_reads_each_file_once(tmp_path: Path, command: Callable[..., Any], file: str) -> None:
    folder, site, notes = tmp_path / "project", tmp_path / "site", tmp_path / "notes"
    for path, text in (
        (folder / "ensemble-project.yaml", PROJECT),
        (folder / "ensemble.yaml", ENSEMBLE),
        (folder / "service.yaml", SERVICE),
        (folder / "types.yaml", TYPES),
        (site / "sitecustomize.py", NOTES),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def read_by(*arguments: str) -> list[set[str]]:
        """What each process read of the project, and that it read nothing twice."""
        notes.write_text("")
        done = command(*arguments, file, cwd=folder, extra={"PYTHONPATH": str(site), "NOTES": str(notes)})
        assert done.code == 0, done.output
        counted = Counter(tuple(line.split(" ", 1)) for line in notes.read_text().splitlines() if line[-1] != " ")
        assert {one: times for one, times in counted.items() if times > 1} == {}
        processes = {process for process, what in counted if what == "topology"}
        return [
            {Path(what.partition("#")[0]).name for process, what in counted if process == one} & READ
            for one in processes
        ]

    assert read_by("validate") == [READ]
    assert read_by("plan") == [READ]
    assert read_by("deploy", "--approve") == [READ, READ], "the command, and the process that carries out its plan"
    assert read_by("status") == [READ]
    assert read_by("check") == [READ, READ]
