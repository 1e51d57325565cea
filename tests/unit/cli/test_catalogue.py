"""The commands that the help lists."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS, find_command, overview
from ansible_ensemble.cli.command import Command
from ansible_ensemble.provision.objects import KINDS


def all_commands(commands: tuple[Command, ...] = COMMANDS) -> Iterator[Command]:
    for command in commands:
        yield command
        yield from all_commands(command.parts)


def test_names_begin_with_those_of_the_commands_they_are_parts_of() -> None:
    for command in all_commands():
        assert all(part.name == f"{command.name} {part.word}" for part in command.parts)
        assert bool(command.parts) != bool(command.module)


def test_each_kind_of_objects_has_its_commands() -> None:
    provision, _ = find_command(["provision"])
    of_objects = {part.word for part in provision.parts if {"list", "show"} <= {one.word for one in part.parts}}
    assert of_objects - {"content"} == KINDS.keys() - {"contents"}


@pytest.mark.parametrize("command", [one for one in all_commands() if one.parts], ids=lambda one: one.name)
def test_parts_are_listed_under_their_headings(command: Command) -> None:
    text = overview(command)
    for part in command.parts:
        assert f"{part.group}:\n" in text
        assert f"  {part.word} " in text


def test_words_lead_to_a_command_and_the_rest() -> None:
    command, rest = find_command(["provision", "machines", "list", "Name=x"])
    assert (command.name, rest) == ("provision machines list", ["Name=x"])
    assert hasattr(importlib.import_module(f"ansible_ensemble.cli.commands.{command.module}"), "run")
    assert find_command(["provision", "machines", "--help"])[0].name == "provision machines"
