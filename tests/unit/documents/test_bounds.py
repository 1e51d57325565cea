"""Bounds of texts that Ansible's parser reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.bounds import check_bounds
from ansible_ensemble.jobs.import_playbooks import import_playbooks

LAUGHS = "[" + ", ".join(f"&b{n} [{', '.join([f'*b{n - 1}'] * 10 if n else ['x'] * 10)}]" for n in range(12)) + "]"
PLAY = "- hosts: localhost\n  vars: {p: VALUE}\n  tasks: [{debug: {msg: a}}]\n"


@pytest.mark.parametrize(
    "text", ["a: &x [1, 2]\nb: *x\n", "a: *nobody\n", "a: [\n", "&a [*a]\n", "", "a: '" + "9" * 5000 + "'\n"]
)
def test_other_texts_are_left_to_the_parser(text: str) -> None:
    check_bounds(text, "a.yml")


def test_a_bomb_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidInput, match=r"a.yml:1:\d+: the aliases make the document too large"):
        check_bounds(LAUGHS, "a.yml")


@pytest.mark.parametrize(
    ("value", "message"),
    [(LAUGHS, "the aliases make the document too large"), ("0x" + "f" * 200_000, "the number has too many digits")],
)
def test_an_import_of_one_ends_in_a_message(tmp_path: Path, value: str, message: str) -> None:
    (tmp_path / "site.yml").write_text(PLAY.replace("VALUE", value))
    with pytest.raises(InvalidInput, match=message):
        import_playbooks([str(tmp_path / "site.yml")], {"inventory": ["localhost,"]})
