"""Whatever hints and docs/coming-from.md name in place of another tool's words is there."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS, find_command
from ansible_ensemble.cli.elsewhere import COMMANDS as COMMANDS_ELSEWHERE
from ansible_ensemble.cli.elsewhere import OPTIONS, PARTS, option_hint
from ansible_ensemble.cli.parser import parser_for

PAGE = Path(__file__).parents[3] / "docs" / "coming-from.md"
NAMES = {name for entry in COMMANDS for name in (entry.name, entry.alias) if name}


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command in backticks."""
    for span in re.findall(r"`([^`]+)`", text):
        words = span.removeprefix("ansible-ensemble ").split()
        if words[0] in NAMES:
            yield words


def ours() -> list[list[str]]:
    """The commands of hints, and of the last column of each row of the page."""
    rows = [line.rstrip("| ").rpartition(" | ")[2] for line in PAGE.read_text().splitlines() if line.startswith("|")]
    texts = [*COMMANDS_ELSEWHERE.values(), *PARTS.values(), *OPTIONS.values(), *rows]
    return [words for text in texts for words in commands_in(text)]


@pytest.mark.parametrize("words", ours(), ids=" ".join)
def test_commands_and_options_are_there(words: list[str]) -> None:
    command, _ = find_command(words)
    parser = parser_for(command)
    if command.module:
        importlib.import_module(f"ansible_ensemble.cli.commands.{command.module}").configure(parser)
    known = {option for action in parser.actions for option in action.option_strings}
    given = words[: words.index("--")] if "--" in words else words
    assert {word for word in given if word.startswith("-") and word != "-"} <= known


def test_words_from_elsewhere_are_none_of_ours() -> None:
    assert not NAMES & set(COMMANDS_ELSEWHERE)
    provision, _ = find_command(["provision"])
    assert not {leaf.word for leaf in provision.leaves()} & set(PARTS)


@pytest.mark.parametrize("word", ["--approve", "--yes", "-y"])
def test_a_command_that_asks_for_nothing_takes_no_approval(word: str) -> None:
    assert option_hint(word, ["--verbose"]) == "this command asks for no approval: leave it out"
    assert option_hint("--yes", ["--approve"]) == "it is `--approve`"
