"""The mark of a version, and the record of a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.state.files import MARK
from ansible_ensemble.state.store import File
from ansible_ensemble.state.version import Record, digest_of, mark, marked, read_record, write_record


def test_a_mark_says_which_version_it_is_and_who_wrote_it() -> None:
    assert marked({MARK: mark(3, "L7")}) == (3, "L7")
    assert marked(None) == marked({}) == (0, "")
    with pytest.raises(InvalidInput, match="the state is damaged"):
        marked({MARK: File(b"{}")})


def test_a_record_is_of_one_location(tmp_path: Path) -> None:
    file, record = tmp_path / "record", Record("here", 3, "d", "L7", unpushed=True)
    assert read_record(file, "here") == Record("here")
    write_record(file, record)
    assert read_record(file, "here") == record
    assert read_record(file, "there") == Record("there")
    file.write_text("{")
    with pytest.raises(InvalidInput, match="then the state is fetched anew"):
        read_record(file, "here")


def test_a_digest_differs_with_names_contents_and_modes() -> None:
    states = [{}, {"a": File(b"bc")}, {"ab": File(b"c")}, {"a": File(b"bc", executable=True)}, {"a": File(b"")}]
    assert len({digest_of(files) for files in states}) == len(states)
