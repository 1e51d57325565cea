"""The commands of the server of machines: what they say before they do anything."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("words", "message"),
    [(["sing"], "no command"), (["serve", "x"], '"x" is not expected'), (["backup"], "FILE"), (["restore"], "FILE"),
     (["serve", "--force"], "--force"), (["serve", "--port", "0"], "not a number of at least 1"),
     (["serve", "--prot", "1"], "--port")],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage(command, words, message):
    done = command("provision", *words)
    assert done.code == 2
    assert message in done.err


def test_what_the_system_says_of_a_file_is_an_error_that_people_read(command, tmp_path):
    done = command("provision", "restore", str(tmp_path / "none"), "--database", str(tmp_path / "store"))
    assert done.code == 1
    assert "none: " in done.err
    assert "bug" not in done.err
