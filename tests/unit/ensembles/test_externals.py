"""Other ensembles: each is read once, and again if it may have got tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.externals import Externals
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.projects.environment import ExternalEnsemble

NODES = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec:
  service_template:
    topology_template:
      node_templates:
        %s
status: {instances: {%s}}
"""
TOOL = "it: {type: tool.Program, properties: {file: it, checksum: 'sha256:" + "0" * 64 + "'}}"
OTHER = "it: {type: tosca.nodes.Root}"
OK = "it: {template: it, readyState: {local: ok}}"


@pytest.mark.parametrize(
    ("node", "before", "times"),
    [(TOOL, "", 2), (TOOL, OK, 1), (OTHER, "", 1)],
    ids=["a tool is not installed", "a tool is installed", "there are no tools"],
)
def test_what_lacks_tools_is_read_again_when_it_changed(tmp_path: Path, node: str, before: str, times: int) -> None:
    file, read = tmp_path / "ensemble.yaml", list[Ensemble]()
    file.write_text(NODES % (node, before))

    def again(path: Path) -> Ensemble:
        read.append(read_ensemble(locate(path), JobOptions()))
        return read[-1]

    find = Externals({"tools": ExternalEnsemble(file)}, (), again)
    find("tools")
    assert find("tools").evaluator is read[0].evaluator
    file.write_text(NODES % (node, OK) + "# longer\n")
    assert find("tools").evaluator is read[-1].evaluator
    find("tools")
    assert len(read) == times


def test_ensembles_do_not_need_each_other(tmp_path: Path) -> None:
    file = tmp_path / "ensemble.yaml"
    find = Externals({"tools": ExternalEnsemble(file)}, (file,), lambda _: pytest.fail("it is read"))
    with pytest.raises(InvalidInput, match="depend on each other"):
        find("tools")
    with pytest.raises(KeyError):
        find("other")
