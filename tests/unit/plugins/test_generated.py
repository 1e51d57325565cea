"""What is made from the tables in the code is up to date, and the tables hold together."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS
from ansible_ensemble.ensembles.options import OPTIONS

FILE = Path(__file__).parents[2] / "generate.py"
SPEC = importlib.util.spec_from_file_location("_generate", FILE)
assert SPEC is not None
assert SPEC.loader is not None
generate: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(generate)


@pytest.mark.parametrize("name", generate.FILES)
def test_what_is_generated_is_up_to_date(repository: Path, name: str) -> None:
    text = (repository / name).read_text(encoding="utf-8")
    assert text.count("(make generate)") == len(generate._REGION.findall(text)) > 0
    assert generate.filled(text) == text, "run make generate"


def test_each_maker_is_used(repository: Path) -> None:
    texts = "".join((repository / name).read_text(encoding="utf-8") for name in generate.FILES)
    for maker in generate.MAKERS:
        assert f">>> {maker} " in texts


def test_each_option_is_of_commands_that_there_are_and_of_modules_that_there_are() -> None:
    commands = {command.name for command in COMMANDS}
    for one in OPTIONS:
        assert set(one.commands) <= commands
        assert set(one.modules) <= set(generate.MODULES)
        assert one.flags or one.modules


@pytest.mark.parametrize("one", OPTIONS, ids=lambda one: one.name)
def test_each_option_says_what_it_does_in_a_sentence_without_its_end(one: Any) -> None:
    assert one.help[0].isupper()
    assert not one.help.endswith(".")
    assert all(text.endswith(".") for text in one.details)
    assert not one.choices or one.default in one.choices
