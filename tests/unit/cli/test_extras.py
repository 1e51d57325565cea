from __future__ import annotations

from ansible_ensemble.cli import extras


def test_without_its_libraries_a_command_says_what_installs_them(command, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "aiohttp" else name)
    done = command("provision", "serve")
    assert done.code == 1
    assert "needs aiohttp (pip install 'ansible-ensemble[provision]')" in done.err
