"""A host that cannot be reached, by connections of others."""

from __future__ import annotations

from pathlib import Path

from .driving import drive

PLUGIN = '''
DOCUMENTATION = """
name: box
short_description: A container
description: A container whose daemon does not run.
author: me
options: {}
"""
from ansible.plugins.connection import ConnectionBase


class Connection(ConnectionBase):
    transport = "box"
    has_pipelining = False

    def _connect(self):
        return self

    def exec_command(self, cmd, in_data=None, sudoable=True):
        return 1, b"", b"Cannot connect to the daemon at unix:///run/box.sock. Is it running?"

    def put_file(self, in_path, out_path):
        pass

    def fetch_file(self, in_path, out_path):
        pass

    def close(self):
        pass
'''


def test_what_the_connection_says_is_the_cause(tmp_path: Path) -> None:
    (tmp_path / "connection_plugins").mkdir()
    (tmp_path / "connection_plugins" / "box.py").write_text(PLUGIN)
    variables = {"ansible_connection": "box", "ansible_python_interpreter": "/usr/bin/python3"}
    order = {"module": "ansible.builtin.ping", "host": {"name": "web1", "variables": variables}}
    settings = {"ANSIBLE_CONNECTION_PLUGINS": str(tmp_path / "connection_plugins")}
    (outcome,) = drive([order], settings=settings)["outcomes"]
    assert outcome["unreachable"]
    assert "the connection box ran nothing there: Cannot connect to the daemon at unix" in outcome["error"]
    assert "temporary" not in outcome["error"]
