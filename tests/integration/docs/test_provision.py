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

REPOSITORY = Path(__file__).parents[3]
PROGRAMS = Path(sys.executable).parent
SERVER = ("provision.md", "A first workflow in five minutes")
AGENT = ("machines-agent.md", "A first run")
COMMAND = ("machines-command.md", "From a login to a finished machine")
MARK = "--- command {} ---"

#: What is another one each time.
VARYING = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"(?<=rocketskates is )\S+", "PASSWORD"),
    (r"(?<=failed  )\d+s", "SECONDS"),
)


def story(page: str, title: str) -> list[tuple[str, str]]:
    """The commands of a section of a page, each with what the page says that it prints."""
    section = (
        (REPOSITORY / "docs" / page).read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    )
    text = "".join(re.findall(r"^```console\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE))
    steps = re.findall(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", text, flags=re.MULTILINE)
    return [(command.replace("\n> ", "\n").rstrip(), printed) for command, printed in steps]


def alike(text: str) -> str:
    """The text, with the same words where it varies."""
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text)
    return text


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
    (start, said), *steps = (step for section in sections for step in story(*section))
    assert len(steps) > 15
    environment = {"HOME": str(tmp_path), "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "NO_PROXY": "*"}
    with started(start, environment) as server:
        assert server.stdout
        lines = [server.stdout.readline() for _ in said.splitlines()]
        port = re.search(r":(\d+)$", lines[2])
        assert port, lines
        assert alike("".join(lines).replace(port[1], "8092")) == alike(said)
        words = {"8092": port[1], said.split()[7]: lines[0].split()[7]}
        script = "".join(f"echo '{MARK.format(number)}'\n{command}\n" for number, (command, _) in enumerate(steps))
        for word, meant in words.items():
            script = script.replace(word, meant)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.stderr == "", done.stdout
    printed = re.split(MARK.format(r"\d+") + "\n", done.stdout)[1:]
    for (command, told), found in zip(steps, printed, strict=True):
        assert alike(found.replace(port[1], "8092")) == alike(told), command
