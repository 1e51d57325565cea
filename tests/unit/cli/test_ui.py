"""What `ansible-ensemble ui` keeps of a password."""

from __future__ import annotations

import pytest

from ansible_ensemble.core.passwords import is_password
from tests.unit.cli.conftest import CommandLine


def test_a_password_is_hashed_for_the_file_of_users(command: CommandLine) -> None:
    command.passwords = ["one", "one"]
    outcome = command("ui", "--hash-password")
    assert outcome.code == 0
    name, kept = outcome.out.split()
    assert name == "password:"
    assert is_password("one", kept)


@pytest.mark.parametrize("given", [["one", "two"], [""]])
def test_a_password_that_is_mistyped_is_refused(command: CommandLine, given: list[str]) -> None:
    command.passwords = given
    outcome = command("ui", "--hash-password")
    assert outcome.code == 2
    assert not outcome.out
