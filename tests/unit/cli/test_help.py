"""What help shows first, and what it leaves to those who ask for all."""

from __future__ import annotations

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS
from ansible_ensemble.cli.completion import options_of
from ansible_ensemble.cli.parser import OF_IMPORT, RARE

DAILY = ["--approve", "--check", "--diff", "--extra-vars", "--inventory", "--limit", "--become", "--verbose"]


@pytest.fixture
def shown(command, capsys):
    def show(*words: str) -> str:
        assert command(*words).code == 0
        return str(capsys.readouterr().out)

    return show


def test_help_shows_what_is_used_daily_and_help_all_the_rest(shown):
    brief, whole = shown("deploy", "--help"), shown("deploy", "--help-all")
    for option in DAILY:
        assert option in brief
    for option in ("--stock-module", "--ssh-common-args", "--junit"):
        assert option not in brief
        assert option in whole
    assert "`ansible-ensemble deploy --help-all` shows" in brief
    assert "--help-all` shows" not in whole
    assert len(brief.splitlines()) < 0.7 * len(whole.splitlines())


def test_an_import_shows_options_of_adoption_where_it_adopts(shown):
    assert "--fail-fast" not in shown("import", "--help")
    assert "--inventory" in shown("import", "--help")
    assert "--fail-fast" in shown("import", "--adopt", "--help")
    assert "--fail-fast" in shown("import", "--help-all")


def test_what_is_hidden_is_there():
    known = {
        name for command in COMMANDS if command.module for one in options_of(command) for name in one.option_strings
    }
    assert known >= RARE | OF_IMPORT


def test_what_is_rarely_needed_is_listed_last(command):
    headings = [line for line in command("--help").out.splitlines() if line.endswith(":") and line != "Exit codes:"]
    assert headings[0] == "Jobs:"
    assert headings[-1] == "Rarely needed:"


@pytest.mark.parametrize("option", ["--list-hosts", "--list-tasks", "--list-tags", "--syntax-check"])
def test_options_of_ansible_playbook_have_their_counterpart_named(command, option):
    done = command("deploy", option)
    assert done.code == 2
    assert "`plan" in done.err or "`validate`" in done.err or "--instance" in done.err
