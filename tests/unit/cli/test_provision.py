"""`ansible-ensemble provision`: what it says before it does anything."""

from __future__ import annotations

import pytest

from ansible_ensemble.cli.commands import provision


@pytest.mark.parametrize(
    ("words", "message"),
    [([], "ACTION"), (["sing"], "invalid choice"), (["serve", "x"], "serve takes no file"),
     (["backup"], "backup takes a file"), (["restore"], "restore takes a file"), (["serve", "--force"], "for restore"),
     (["serve", "--port", "0"], "not a number of at least 1"), (["serve", "--prot", "1"], "--port")],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage(command, words, message):
    done = command("provision", *words)
    assert done.code == 2
    assert message in done.err


def test_without_its_libraries_it_says_what_installs_them(command, monkeypatch):
    monkeypatch.setattr(provision, "find_spec", lambda name: None if name == "aiohttp" else name)
    done = command("provision", "serve")
    assert done.code == 1
    assert "needs aiohttp (pip install 'ansible-ensemble[provision]')" in done.err
