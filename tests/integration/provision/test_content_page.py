"""The pack in docs/machines-content.md: checked, loaded and run as the page says."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from tests.integration.docs.pages import blocks, page, steps
from tests.integration.provision.lasting import Lasting
from tests.preloaded import PROGRAMS, run


def test_the_page_is_what_happens(shared: Lasting, tmp_path: Path) -> None:
    text = page("machines-content.md")
    files = {block.name: block.text for block in blocks(text) if block.name}
    assert len(files) == 6
    for name, content in files.items():
        file = tmp_path / "greeting" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    calls = [step for step in steps(text) if step.command.startswith("ansible-ensemble ")]
    assert len(calls) == 7
    for step in calls:
        words = shlex.split(step.command)
        done = _run(words[1:], shared, tmp_path)
        assert done == step.printed or (words[2] == "agent" and step.printed and step.printed in done), done


def _run(words: list[str], server: Lasting, folder: Path) -> str:
    variables = {
        **os.environ,
        "RS_ENDPOINT": server.endpoint,
        "RS_KEY": "rocketskates:r0cketsk8ts",
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    talks = [] if words[1:3] == ["content", "bundle"] else ["--insecure"]
    done = run([PROGRAMS / "ansible-ensemble", *words, *talks], env=variables, cwd=folder)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout
