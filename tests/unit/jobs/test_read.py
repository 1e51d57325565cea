from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.read import locate, read_ensemble
from ansible_ensemble.projects.vault import Vault

INLINE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec:
  service_template:
    +include: types.yaml
    tosca_definitions_version: tosca_simple_yaml_1_3
    topology_template:
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
    assert places == {("ensemble.yaml", 9), ("types.yaml", 4)}
