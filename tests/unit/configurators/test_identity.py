"""What says which file a node makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.configurators.identity import Identity, identity_of
from tests.unit.configurators.test_resources import made

CASES = {
    "{module: file, args: {path: /a, state: directory}}": Identity(("args", "path"), "path"),
    "{module: ansible.builtin.file, args: {name: /a, state: touch}}": Identity(("args", "name"), "name"),
    "{module: copy, args: {dest: /a, content: x}}": Identity(("args", "dest"), "path"),
    "{type: file.Template, properties: {path: /a, content: x}}": Identity(("path",), "path"),
    # what is there is removed in another way, or may be a folder
    "{module: copy, args: {dest: /a, content: x}, absent: {playbook: up.yml}}": Identity(("args", "dest"), None),
    "{module: copy, args: {dest: /a, src: x}}": Identity(("args", "dest"), None),
    # nothing is there, or it is no file
    "{module: file, args: {path: /a, state: absent}}": None,
    "{module: lineinfile, args: {path: /a, line: x}}": None,
    "{module: copy}": None,
    "{playbook: up.yml}": None,
}


@pytest.mark.parametrize("template", CASES)
def test_what_says_which_file_it_is(tmp_path: Path, template: str) -> None:
    node, _faults = made(tmp_path, template)
    assert identity_of(node) == CASES[template]
