"""What says which file a node makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.identity import Identity, identity_of
from tests.unit.configurators.test_resources import made

CASES = {
    "{module: file, args: {path: /a, state: directory}}": Identity(("args", "path"), "path", "file"),
    "{module: ansible.builtin.file, args: {name: /a, state: touch}}": Identity(("args", "name"), "name", "file"),
    "{module: copy, args: {dest: /a, content: x}}": Identity(("args", "dest"), "path", "copy"),
    "{type: file.Template, properties: {path: /a, content: x}}": Identity(("path",), "path"),
    # what is there is removed in another way, or may be a folder
    "{module: copy, args: {dest: /a, content: x}, absent: {playbook: up.yml}}": Identity(
        ("args", "dest"), None, "copy"
    ),
    "{module: copy, args: {dest: /a, src: x}}": Identity(("args", "dest"), "path", "copy"),
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


COPY, FOLDER = "{module: copy, args: {dest: /a, content: x}}", "{module: file, args: {path: /a, state: directory}}"


@pytest.mark.parametrize(
    ("template", "properties", "same", "certain"),
    [
        (COPY, {"args": {"dest": "/b", "content": "y"}}, True, True),
        (COPY, {"module": "ansible.builtin.copy", "args": {"dest": "/b", "content": "y"}}, True, True),
        (COPY, {"module": "copy", "args": {"dest": "/b", "src": "app/"}}, False, False),
        (COPY, {"module": "copy", "args": {"dest": "/b", "content": "y", "force": False}}, False, False),
        (COPY, {"module": "template", "args": {"dest": "/b", "src": "a.j2"}}, False, False),
        (COPY, {}, False, False),
        (FOLDER, {"module": "file", "args": {"path": "/b", "state": "directory"}}, True, False),
        (FOLDER, {"module": "file", "args": {"path": "/b", "state": "touch"}}, True, False),
        (FOLDER, {"module": "file", "args": {"path": "/b", "state": "link", "src": "/c"}}, True, True),
        ("{type: file.Template, properties: {path: /a, content: x}}", {"path": "/b"}, True, True),
    ],
)
def test_what_was_made_before(tmp_path: Path, template: str, properties: dict[str, Any], same: bool, certain: bool):
    node, _faults = made(tmp_path, template)
    identity = identity_of(node)
    assert identity is not None
    assert (identity.is_same_kind(properties), identity.is_certain(properties)) == (same, certain)
