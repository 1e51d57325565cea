"""Service templates in Python, those that name what the package `unfurl` has among them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.python_template import read_python_template

converted = pytest.mark.skipif(importlib.util.find_spec("tosca") is None, reason="the package tosca is not installed")

GREETER = """\
import unfurl
import tosca
from unfurl.configurators.shell import ShellConfigurator
from unfurl.configurators import TemplateConfigurator

class Greeter(tosca.nodes.Root):
    word: str = "hello"

    def configure(self, **kw):
        return ShellConfigurator(command="echo {{ SELF.word }}", echo=False)

    def delete(self, **kw):
        return TemplateConfigurator(done=dict(status="absent"))

greeter = Greeter(word="hi")
anything = unfurl.nodes.Generic()
"""


def read(folder: Path, text: str) -> Any:
    (folder / "service.py").write_text(text)
    return read_python_template(folder / "service.py", trusted=True).data


@converted
def test_configurators_of_unfurl_become_implementations(tmp_path: Path) -> None:
    made = read(tmp_path, GREETER)
    assert made["node_types"]["Greeter"]["interfaces"]["Standard"]["operations"] == {
        "configure": {
            "implementation": {"className": "unfurl.configurators.shell.ShellConfigurator"},
            "inputs": {"command": "echo {{ SELF.word }}", "echo": False},
        },
        "delete": {
            "implementation": {"className": "unfurl.configurators.TemplateConfigurator"},
            "inputs": {"done": {"status": "absent"}},
        },
    }
    types = {name: node["type"] for name, node in made["topology_template"]["node_templates"].items()}
    assert types == {"greeter": "Greeter", "anything": "unfurl.nodes.Generic"}


@converted
@pytest.mark.parametrize("line", ["unfurl.yamlloader", "unfurl.configurators.shell.NoSuchConfigurator()"])
def test_what_the_package_has_beside_is_an_error_of_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInput, match="has no attribute") as caught:
        read(tmp_path, f"import unfurl\nimport unfurl.configurators.shell\nx = {line}\n")
    assert caught.value.place is not None
    assert caught.value.place.line == 3


def test_a_file_of_comments_needs_no_package_and_no_trust(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text("# import tosca\n'''a text'''\n")
    assert read_python_template(tmp_path / "service.py", trusted=False).data == {}
