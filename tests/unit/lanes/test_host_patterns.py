"""Limits that match nothing, or cannot be read, are told in words and nothing else."""

from __future__ import annotations

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.lanes.host_patterns import host_matches

GROUPS = {"group": ["web1"]}


def test_globs_match_hosts_and_groups() -> None:
    assert host_matches("web*:!gr*", ["web1", "web2"], GROUPS) == [("web*", ["web1", "web2"]), ("!gr*", ["web1"])]


def test_a_glob_that_matches_nothing_is_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert host_matches("nix*", ["web1"], GROUPS) == [("nix*", [])]
    assert capsys.readouterr() == ("", "")


def test_a_file_that_is_not_there_is_named_as_text() -> None:
    with pytest.raises(InvalidInput, match=r"cannot be read: .*nofile") as refused:
        host_matches("@nofile", ["web1"], GROUPS)
    assert "b'" not in refused.value.message


def test_no_group_that_everything_is_in_is_meant() -> None:
    with pytest.raises(InvalidInput, match='"ungroupe"') as refused:
        host_matches("ungroupe", ["web1"], {"grouped": ["web1"]})
    assert "ungrouped" not in str(refused.value.hint).split()
