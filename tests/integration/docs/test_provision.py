"""First workflows of the pages about machines, lived word by word: each command, and what it prints."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.docs.story import Step, alike, live, steps_of

REPOSITORY = Path(__file__).parents[3]
PROGRAMS = Path(sys.executable).parent
SERVER = ("provision.md", "A first workflow in five minutes")
AGENT = ("machines-agent.md", "A first run")
COMMAND = ("machines-command.md", "From a login to a finished machine")

#: What is another one each time.
VARYING = {
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": "UUID",
    r"\d{4}-\d\d-\d\dT[\d:.]+Z": "TIME",
    r"(?<=rocketskates is )\S+": "PASSWORD",
    r"(?<=failed  )\d+s": "SECONDS",
}


def story(page: str, title: str) -> list[Step]:
    """The steps of a section of a page."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    return steps_of(text.partition(f"## {title}\n")[2].partition("\n## ")[0])


@contextmanager
def started(command: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The server, until its end by a signal."""
    with subprocess.Popen(
        [PROGRAMS / "ansible-ensemble", *shlex.split(command)[1:]],
        env=environment | {"ANSIBLE_ENSEMBLE_PROVISION_PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize("sections", [(SERVER,), (COMMAND, AGENT)])
def test_the_first_workflow(tmp_path: Path, sections: tuple[tuple[str, str], ...]) -> None:
    first, *steps = (step for section in sections for step in story(*section))
    assert len(steps) > 15
    environment = {"HOME": str(tmp_path), "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "NO_PROXY": "*"}
    with started(first.command, environment) as server:
        assert server.stdout
        said = first.printed
        lines = [server.stdout.readline() for _ in said.splitlines()]
        port = re.search(r":(\d+)$", lines[2])
        assert port, lines
        assert alike("".join(lines).replace(port[1], "8092"), VARYING) == alike(said, VARYING)
        words = {"8092": port[1], said.split()[7]: lines[0].split()[7]}
        printed = live([Step(with_words(step.command, words)) for step in steps], tmp_path, environment)
    for step, found in zip(steps, printed, strict=True):
        assert alike(found.replace(port[1], "8092"), VARYING) == alike(step.printed, VARYING), step.command


def with_words(text: str, words: dict[str, str]) -> str:
    for word, meant in words.items():
        text = text.replace(word, meant)
    return text
