"""The tutorial, lived word by word: each file, each command, and what it prints."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest
import yaml

from tests.integration.docs.pages import REPOSITORY, Step, blocks, page, section, steps
from tests.integration.docs.shell import live

#: Where the reader is.
HOME = "/home/you"
#: Chapters that go on in the folder of the one before.
STORIES = [
    ["1-first-resource"],
    ["2-role-on-two-hosts", "3-drift", "4-change-and-secrets", "5-teardown", "6-review", "7-awx"],
    ["8-machine"],
]
#: The first half, which is for those who know Ansible and nothing else.
FIRST_HALF = [name for story in STORIES for name in story if name < "5"]

#: Ends what a story that went wrong leaves running.
AT_THE_END = Step("trap '{ kill $(jobs -p) $(cat ~/machines/agent.pid); } 2> /dev/null' EXIT")


@pytest.mark.matrix
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story[0])
def test_the_tutorial(short: Path, collections: Path, story: list[str]) -> None:
    told = [step for name in story for step in steps(page(f"tutorial/{name}.md"))]
    variables = {"ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_ENSEMBLE_PROVISION_PORT": "0"}
    live([AT_THE_END, *told], short, {HOME: str(short)}, columns=80, **variables)


@pytest.mark.parametrize("name", ["tutorial/7-awx.md", "awx.md"])
def test_the_file_for_awx_has_what_its_role_takes(name: str) -> None:
    (file,) = (block for block in blocks(page(name)) if block.name == "awx.yml")
    given = yaml.safe_load(file.text).keys()
    specs = yaml.safe_load((REPOSITORY / "roles" / "awx" / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    options = specs["argument_specs"]["main"]["options"]
    assert given <= options.keys()
    assert {name for name, option in options.items() if option.get("required")} <= given


def test_the_first_screen_works_in_an_empty_folder(tmp_path: Path) -> None:
    told = steps(section(page("../README.md"), "Description"))
    live(told, tmp_path, {f"{HOME}/first": str(tmp_path)}, columns=80)


def test_each_story_begins_where_the_one_before_ends() -> None:
    for story in STORIES:
        place = HOME
        for step in (step for name in story for step in steps(page(f"tutorial/{name}.md"))):
            for folder in re.findall(r"(?:^|&& )cd(?: (\S+))?", step.command):
                place = posixpath.normpath(posixpath.join(place, folder or HOME))
        assert place == HOME, story


@pytest.mark.parametrize("name", FIRST_HALF)
def test_the_first_half_never_says_tosca(name: str) -> None:
    assert not re.search(r"tosca(?!\.ensemble)", page(f"tutorial/{name}.md"), re.IGNORECASE)
