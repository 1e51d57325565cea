"""What stands in the pages, as it stands there: examples are read, commands are taken, and a story is lived."""

from __future__ import annotations

import functools
import os
import re
import shlex
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS, find_command
from ansible_ensemble.cli.elsewhere import COMMANDS as COMMANDS_ELSEWHERE
from ansible_ensemble.cli.other_tools import TOOLS, translated
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.validate import validate_path
from tests.integration.docs.pages import REPOSITORY, Block, blocks, page, prose
from tests.preloaded import PROGRAMS, run

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
PROGRAM = PROGRAMS / "ansible-ensemble"


@dataclass(frozen=True)
class Example:
    """A block of a page."""

    page: str
    block: Block

    def __str__(self) -> str:
        return f"{self.page}:{self.block.line}"


def examples(*languages: str) -> list[Example]:
    return [
        Example(named(page), block)
        for page in PAGES
        for block in blocks(page.read_text())
        if block.language in languages
    ]


def named(file: Path) -> str:
    return str(file.relative_to(REPOSITORY)).removeprefix("docs/")


def commands() -> list[tuple[str, str]]:
    """The calls of the program: lines of examples, and code within the text."""
    found = [
        (str(example), line.removeprefix("$ "))
        for example in examples("sh", "bash", "console", "")
        for line in example.block.text.splitlines()
        if "ansible-ensemble " in line and not line.lstrip().startswith("pip ")
    ]
    for file in PAGES:
        found += [(named(file), text) for text in re.findall(r"`(ansible-ensemble [^`]*)`", prose(file.read_text()))]
    return found


@pytest.mark.parametrize("example", examples("yaml", "yml"), ids=str)
def test_yaml_is_what_the_reader_takes(example: Example, tmp_path: Path) -> None:
    data = parse_yaml(example.block.text, tmp_path / "example.yaml").data
    is_alone = "/" not in example.page  # pages in folders are stories, whose files stand together
    if is_alone and isinstance(data, dict) and {"tosca_definitions_version", "resources"} & data.keys():
        (tmp_path / "service.yaml").write_text(example.block.text)
        assert validate_path(str(tmp_path / "service.yaml"), JobOptions())["errors"] == []


@functools.cache
def help_of(*command: str) -> str:
    done = run([PROGRAM, *command, "--help-all"], env=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("where", "text"), commands(), ids=lambda part: part if len(part) < 60 else None)
def test_a_command_is_one(where: str, text: str) -> None:
    call = text[text.index("ansible-ensemble ") :]
    name, *words = shlex.split(call, comments=True)[1:]
    if name in TOOLS:
        assert not words or translated(name, words)
        return
    names = {known for command in COMMANDS for known in (command.name, command.alias)}
    assert name in {*names, "COMMAND", "--version", "--help"} or name in COMMANDS_ELSEWHERE, where
    if name not in names:
        return
    called = find_command([name, *takewhile(re.compile(r"[a-z]").match, words)])[0].name.split()
    known = help_of(*called)
    options = words[: words.index("--")] if "--" in words else words
    for word in options:
        option = word.partition("=")[0]
        assert not re.fullmatch(r"--?[a-z][a-z-]*", option) or option in known, (where, option)


def test_the_story_of_the_workflows(tmp_path: Path) -> None:
    told = list(blocks(page("workflows.md")))
    topology = next(one for one in told if "tosca_definitions_version" in one.text)
    calls = next(one for one in told if one.language == "sh")
    (tmp_path / "service.yaml").write_text(topology.text)
    for line in calls.text.splitlines():
        _, *words = shlex.split(line, comments=True)
        done = run([PROGRAM, *words, "--approve"], cwd=tmp_path, env=os.environ)
        assert done.returncode == 0, (line, done.stdout, done.stderr)


FAILING = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {create: "test -e there"}}}}
"""


@pytest.mark.parametrize("options", [[], ["--check"]], ids=["deploy", "check"])
def test_all_about_it_is_where_the_text_says(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "service.yaml").write_text(FAILING)
    done = run([PROGRAM, "deploy", "--approve", *options, "service.yaml"], cwd=tmp_path, env=os.environ)
    named = re.findall(r"Details are in (.*)\.$", done.stdout + done.stderr, flags=re.MULTILINE)
    assert bool(named) or options
    assert all((tmp_path / name).is_file() for name in named)
