"""What stands in the pages, as it stands there: examples are read, commands are taken, and a story is lived."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS, find_command
from ansible_ensemble.cli.elsewhere import COMMANDS as COMMANDS_ELSEWHERE
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.validate import validate_path

REPOSITORY = Path(__file__).parents[3]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
PROGRAM = Path(sys.executable).parent / "ansible-ensemble"


@dataclass(frozen=True)
class Example:
    """A fenced example of a page."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def examples(*languages: str) -> list[Example]:
    return [one for page in PAGES for one in of_page(page) if one.language in languages]


def of_page(page: Path) -> Iterator[Example]:
    text = page.read_text()
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        yield Example(named(page), text.count("\n", 0, found.start()) + 1, found[1], found[2])


def named(page: Path) -> str:
    return str(page.relative_to(REPOSITORY)).removeprefix("docs/")


def commands() -> list[tuple[str, str]]:
    """The calls of the program: lines of examples, and code within the text."""
    found = [
        (str(example), line.removeprefix("$ "))
        for example in examples("sh", "bash", "console", "")
        for line in example.text.splitlines()
        if "ansible-ensemble " in line and not line.lstrip().startswith("pip ")
    ]
    for page in PAGES:
        outside = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        found += [(named(page), text) for text in re.findall(r"`(ansible-ensemble [^`]*)`", outside)]
    return found


@pytest.mark.parametrize("example", examples("yaml", "yml"), ids=str)
def test_yaml_is_what_the_reader_takes(example: Example, tmp_path: Path) -> None:
    data = parse_yaml(example.text, tmp_path / "example.yaml").data
    is_alone = "/" not in example.page  # pages in folders are stories, whose files stand together
    if is_alone and isinstance(data, dict) and {"tosca_definitions_version", "resources"} & data.keys():
        (tmp_path / "service.yaml").write_text(example.text)
        assert validate_path(str(tmp_path / "service.yaml"), JobOptions())["errors"] == []


@pytest.mark.parametrize(("where", "text"), commands(), ids=lambda part: part if len(part) < 60 else None)
def test_a_command_is_one(where: str, text: str) -> None:
    call = text[text.index("ansible-ensemble ") :]
    name, *words = shlex.split(call, comments=True)[1:]
    names = {known for command in COMMANDS for known in (command.name, command.alias)}
    assert name in {*names, "COMMAND", "--version", "--help"} or name in COMMANDS_ELSEWHERE, where
    if name not in names:
        return
    called = find_command([name, *takewhile(re.compile(r"[a-z]").match, words)])[0].name.split()
    known = subprocess.run([PROGRAM, *called, "--help"], capture_output=True, text=True, check=True).stdout
    options = words[: words.index("--")] if "--" in words else words
    for word in options:
        option = word.partition("=")[0]
        assert not re.fullmatch(r"--?[a-z][a-z-]*", option) or option in known, (where, option)


def test_the_story_of_the_workflows(tmp_path: Path) -> None:
    (page,) = (page for page in PAGES if page.name == "workflows.md")
    blocks = list(of_page(page))
    topology = next(one for one in blocks if "tosca_definitions_version" in one.text)
    calls = next(one for one in blocks if one.language == "sh")
    (tmp_path / "service.yaml").write_text(topology.text)
    for line in calls.text.splitlines():
        _, *words = shlex.split(line, comments=True)
        done = subprocess.run(
            [PROGRAM, *words, "--approve"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
        )
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
    done = subprocess.run(
        [PROGRAM, "deploy", "--approve", *options, "service.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    named = re.findall(r"Details are in (.*)\.$", done.stdout + done.stderr, flags=re.MULTILINE)
    assert bool(named) or options
    assert all((tmp_path / name).is_file() for name in named)
