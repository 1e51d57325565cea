"""Every command on a terminal: what it writes fits, and is coloured or not as its user wants it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS
from tests.matrix import sampled

from . import commands_in_turn
from .test_terminal import on_terminal, plain

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Service:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
    interfaces:
      Standard: {create: 'echo ''{"url": "http://localhost:8080/start"}''', configure: echo done, delete: echo bye}
      Install: {check: "test ! -e broken"}
topology_template:
  inputs: {title: {type: string, default: "Our shop"}}
  node_templates:
    database_of_the_shop: {type: Service}
    shop: {type: Service, requirements: [{dependency: database_of_the_shop}]}
    full: {type: tosca.nodes.Root, interfaces: {Standard: {create: "echo no room for it >&2; exit 3"}}}
    behind: {type: tosca.nodes.Root, requirements: [{dependency: full}], interfaces: {Standard: {create: echo hi}}}
  outputs: {url: {value: {get_attribute: [shop, url]}}}
"""
#: Commands with their exit code, and whether colours are in what they write for people. Each leaves all as it is.
LOOKING: list[tuple[str, int, bool]] = [
    ("", 2, False),
    ("--help", 0, False),
    ("--version", 0, False),
    ("state", 2, False),
    ("provision machines", 2, False),
    ("plan", 0, True),
    ("plan -v", 0, True),
    ("plan --workflow undeploy", 0, True),
    ("plan --input title=x --instance shop", 0, True),
    ("status", 0, True),
    ("status -v", 0, True),
    ("history", 0, True),
    ("show JOB", 0, True),
    ("show TASK", 0, True),
    ("outputs", 0, False),
    ("outputs --raw url", 0, False),
    ("query ::shop::url", 0, False),
    ("graph --format mermaid", 0, False),
    ("validate", 0, True),
    ("validate --migrate", 0, True),
    ("validate nosuch.yaml", 3, True),
    ("recover", 0, False),
    ("trust --list", 0, False),
    ("deploy", 2, True),
    ("undeploy", 2, True),
    ("start", 0, True),
    ("run", 2, True),
    ("adopt nosuch", 3, True),
    ("forget nosuch --approve", 3, True),
    ("unlock 0f1e2d3c4b5a6978", 2, True),
    ("notify nosuch", 3, True),
    ("replay A6BN372I0000", 3, True),
    ("rollback A6BN372I0000", 3, True),
    ("state pull", 2, True),
    ("mesh status --mesh nosuch.sock", 1, True),
    ("diff", 2, True),
    ("plan --aprove", 2, True),
    ("check --output yaml", 2, True),
    ("provision machines list --endpoint https://127.0.0.1:1", 7, True),
]
#: Commands that run jobs, one after the other.
JOBS = [
    ("check", 0, True),
    ("run --approve --operation configure --instance shop", 0, True),
    ("undeploy --approve", 0, True),
]
#: Those that take no options.
PLAIN = ("", "--help", "--version", "state", "provision machines")
#: What is written for programs, in lines of any length.
FOR_PROGRAMS = ("graph",)
#: Columns, whether there are colours, options of each command, variables.
TERMINALS = [
    (80, True, "", {}),
    (140, True, "", {}),
    (80, False, "", {"NO_COLOR": "1"}),
    (140, False, "--no-color", {}),
]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ensemble in which something failed."""
    folder = tmp_path_factory.mktemp("deployed")
    (folder / "service.yaml").write_text(SERVICE)
    on_terminal(folder, 80, "deploy", "--approve", "service.yaml")
    return folder


def written(
    folder: Path, columns: int, commands: list[list[str]], settings: dict[str, str]
) -> Iterator[tuple[str, int, str]]:
    """Each command with its exit code and what it wrote to a terminal that is so wide."""
    program = (sys.executable, commands_in_turn.__file__)
    text = on_terminal(folder, columns, json.dumps(commands), program=program, **settings)
    parts = text.split("\x1e")
    assert len(parts) == 2 * len(commands) + 1, text
    for words, shown, code in zip(commands, parts[::2], parts[1::2], strict=False):
        yield " ".join(words), int(code), shown


def faults(command: str, text: str, columns: int) -> Iterator[str]:
    """What is wrong with what a command wrote."""
    if "Traceback" in text or "this is a bug" in text:
        yield f"{command}: {text}"
    if command.startswith(FOR_PROGRAMS):
        return
    lines = plain(text).split("\n")
    # a long path cannot be folded, alone on its line or at the end of a row
    wide = (line for line in lines if len(line) > columns and " " in line.strip() and line.split()[-1].count("/") < 2)
    yield from (f"{command}: too wide: {line}" for line in wide)
    yield from (f"{command}: ends with blanks: {line}" for line in lines if line != line.rstrip())
    if "\n\n\n" in "\n".join(lines).strip("\n"):
        yield f"{command}: empty lines: {text}"


@pytest.mark.parametrize("terminal", sampled([(terminal,) for terminal in TERMINALS], 3))
@pytest.mark.usefixtures("nothing_trusted")  # the list of what is trusted is of this test alone
def test_commands(terminal: tuple[int, bool, str, dict[str, str]], deployed: Path, tmp_path: Path):
    columns, coloured, option, settings = terminal
    folder = shutil.copytree(deployed, tmp_path / "shop")
    settings = {**settings, "ANSIBLE_ENSEMBLE_TRUST": str(folder)}
    job = next(line for line in (folder / "jobs.tsv").read_text().split() if line.endswith("0000"))
    table = [*LOOKING, *(JOBS if (columns == 80) is coloured else [])]
    commands = [text.replace("JOB", job).replace("TASK", job[:-1] + "1").split() for text, _code, _is in table]
    commands = [[*words, *([option] if option and " ".join(words) not in PLAIN else [])] for words in commands]
    wrong: list[str] = []
    for (_words, expected, colours), (command, code, text) in zip(
        table, written(folder, columns, commands, settings), strict=True
    ):
        wrong += [f"{command}: exit code {code}: {text}"] if code != expected else []
        wrong += faults(command, text, columns)
        if bool(COLOUR.search(text)) is not (coloured and colours):
            wrong.append(f"{command}: colours: {text!r}")
    assert wrong == []


@pytest.mark.parametrize("columns", [80, 140])
def test_the_help_of_every_command(columns: int, tmp_path: Path):
    names = [leaf.name for command in COMMANDS for leaf in command.leaves()]
    wrong: list[str] = []
    for command, code, text in written(tmp_path, columns, [[*name.split(), "--help"] for name in names], {}):
        assert code == 0 and text.startswith("usage: ansible-ensemble"), (command, text)
        wrong += [*faults(command, text, columns), *COLOUR.findall(text)]
    assert wrong == []
