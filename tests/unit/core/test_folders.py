"""Folders of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.folders import with_home


@pytest.mark.parametrize(
    ("given", "meant"), [("~/a", "/home/me/a"), ("~nobody-of-this-name/a", "~nobody-of-this-name/a"), ("a/~", "a/~")]
)
def test_a_path_with_a_home(monkeypatch: pytest.MonkeyPatch, given: str, meant: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert with_home(given) == Path(meant)
