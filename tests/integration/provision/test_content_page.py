"""The pack in docs/machines-content.md: checked, loaded and run as the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.integration.provision.lasting import Lasting
from tests.integration.provision.served import PATIENCE

PAGE = Path(__file__).parents[3] / "docs" / "machines-content.md"
_FILE = re.compile(r"`([\w./-]+\.\w+)`[^\n]*:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_page_is_what_happens(shared: Lasting, tmp_path: Path) -> None:
    text = PAGE.read_text()
    files = _FILE.findall(text)
    assert len(files) == 6
    for name, content in files:
        file = tmp_path / "greeting" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    steps = [step for block in _CONSOLE.findall(text) for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(steps) == 7
    for step in steps:
        command, _, expected = step.partition("\n")
        done = _run(shlex.split(command)[1:], shared, tmp_path)
        assert done == expected or (command.split()[2] == "agent" and expected in done), done


def _run(words: list[str], server: Lasting, folder: Path) -> str:
    variables = {
        **os.environ,
        "RS_ENDPOINT": server.endpoint,
        "RS_KEY": "rocketskates:r0cketsk8ts",
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    talks = [] if words[1:3] == ["content", "bundle"] else ["--insecure"]
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-ensemble", *words, *talks],
        env=variables, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout
