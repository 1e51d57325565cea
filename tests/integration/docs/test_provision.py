"""First workflows of the pages about machines, lived word by word: each command, and what it prints."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.integration.docs.pages import Step, page, section, steps
from tests.integration.docs.shell import alike, live
from tests.preloaded import PROGRAMS

SERVER = ("provision.md", "A first workflow in five minutes")
AGENT = ("machines-agent.md", "A first run")
COMMAND = ("machines-command.md", "From a login to a finished machine")


def story(name: str, title: str) -> Iterator[Step]:
    """The steps of a section of a page."""
    return steps(section(page(name), title))


@contextmanager
def started(command: Sequence[str | Path], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The server, until its end by a signal."""
    with subprocess.Popen(
        command,
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


def lived(
    folder: Path,
    sections: Iterable[tuple[str, str]],
    programs: Path = PROGRAMS,
    within: Sequence[str] = (),
    words: Mapping[str, str] = MappingProxyType({}),
    **variables: str,
) -> None:
    """Type sections of pages, from the start of a server on, in an empty folder and home.

    Args are those of `live`.
    """
    first, *others = (step for section in sections for step in story(*section))
    assert len(others) > 15
    environment = {"HOME": str(folder), "PATH": f"{programs}:{os.environ['PATH']}", "NO_PROXY": "*"}
    with started([*within, programs / "ansible-ensemble", *shlex.split(first.command)[1:]], environment) as server:
        assert server.stdout
        said = first.printed or ""
        lines = [server.stdout.readline() for _ in said.splitlines()]
        port = re.search(r":(\d+)$", lines[2])
        assert port, lines
        assert alike("".join(lines).replace(port[1], "8092")) == alike(said)
        words = {**words, "8092": port[1], said.split()[7]: lines[0].split()[7]}
        away = {"NO_PROXY": "*", **variables}
        live(others, folder, words, home=folder, columns=None, programs=programs, within=within, **away)


@pytest.mark.matrix
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize("sections", [(SERVER,), (COMMAND, AGENT)])
def test_the_first_workflow(tmp_path: Path, sections: tuple[tuple[str, str], ...]) -> None:
    lived(tmp_path, sections)
