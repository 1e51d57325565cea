"""The tutorial, lived word by word: each file, each command, and what it prints."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.integration.docs.story import Step, alike, live, steps_of

REPOSITORY = Path(__file__).parents[3]
PAGES = REPOSITORY / "docs" / "tutorial"
PROGRAMS = Path(sys.executable).parent
#: Where the reader is.
HOME = "/home/you"
#: Chapters that go on in the folder of the one before.
STORIES = [
    ["1-first-resource"],
    ["2-role-on-two-hosts", "3-drift", "4-change-and-secrets", "5-teardown", "6-review", "7-awx"],
    ["8-machine"],
]
#: The first half, which is for those who know Ansible and nothing else.
FIRST_HALF = [page for story in STORIES for page in story if page < "5"]

#: Ends what a story that went wrong leaves running.
AT_THE_END = Step("trap '{ kill $(jobs -p) $(cat ~/machines/agent.pid); } 2> /dev/null' EXIT")

#: What is another one each time, by what it is.
VARYING = {
    r"^.* still running \(\d+s\)\n": "",  # a reminder, on a slow machine
    r"\d+\.\d(?= ?s\b)|(?<= ) *\d+\.\d(?=$|  )": "SECONDS",
    r"\bA[0-9A-Za-z]{7}[0-9A-Z]{4}\b": "JOB",
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d": "TIME",
    r"(?<=https://127\.0\.0\.1:)\d+": "PORT",
    r" +$": "",  # Ansible's recap has some
}
#: The number of an operation in the order in which they ended, which several at once do in any order.
NUMBER = {r"^ *\d+  ": "NUMBER  "}


def told(text: str) -> list[str]:
    """The lines that a command prints: in their order, as far as nothing ran side by side."""
    lines = alike(text, VARYING).splitlines()
    return sorted(alike(line, NUMBER) for line in lines) if re.search(r"^\[2/\d+\] ", text, re.MULTILINE) else lines


#: What a reader of the first screen has.
INVENTORY = 'web1: {ansible_connection: local, ansible_python_interpreter: "{{ ansible_playbook_python }}"}'
THERE = {"ansible.cfg": "[defaults]\ninventory = hosts.yaml\n", "hosts.yaml": f"all: {{hosts: {{{INVENTORY}}}}}\n"}


def lived(steps: list[Step], folder: Path, **variables: str) -> None:
    path = f"{PROGRAMS}:{os.environ['PATH']}"
    environment = {"HOME": str(folder), "PATH": path, "LANG": "C.UTF-8", "NO_COLOR": "1", "PAGER": "cat", **variables}
    there = [Step(step.command.replace(HOME, str(folder))) for step in steps]
    printed = [text.replace(str(folder), HOME) for text in live(there, folder, environment, columns=80)]
    for step, found in zip(steps, printed, strict=True):
        assert told(found) == told(step.printed), step.command


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story[0])
def test_the_tutorial(short: Path, collections: Path, story: list[str]) -> None:
    steps = [step for page in story for step in steps_of((PAGES / f"{page}.md").read_text(encoding="utf-8"))]
    variables = {"ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_ENSEMBLE_PROVISION_PORT": "0"}
    lived([AT_THE_END, *steps], short, **variables)


def test_the_file_for_awx_has_what_its_role_takes() -> None:
    text = (PAGES / "7-awx.md").read_text(encoding="utf-8")
    given = yaml.safe_load(text.partition("# awx.yml\n")[2].partition("```")[0]).keys()
    specs = yaml.safe_load((REPOSITORY / "roles" / "awx" / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    options = specs["argument_specs"]["main"]["options"]
    assert given <= options.keys()
    assert {name for name, option in options.items() if option.get("required")} <= given


def test_the_first_screen(tmp_path: Path) -> None:
    for name, text in THERE.items():
        (tmp_path / name).write_text(text)
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    trust = Step("ansible-ensemble trust", f"Trusted: {HOME}.\n")
    lived([trust, *steps_of(readme.partition("## Description\n")[2].partition("\n## ")[0])], tmp_path)


@pytest.mark.parametrize("page", FIRST_HALF)
def test_the_first_half_never_says_tosca(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    assert not re.search(r"tosca(?!\.ensemble)", text, re.IGNORECASE)
