"""How-to pages are done as they stand: their files are written, their commands run and print what the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.docs.pages import is_told, steps

REPOSITORY = Path(__file__).parents[3]
PAGES = sorted((REPOSITORY / "docs" / "howto").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_so(page: Path, short: Path) -> None:
    folder, served = short / "work", short / "srv"
    folder.mkdir()
    served.mkdir()
    environment = {
        "HOME": str(short),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ANSIBLE_FORCE_COLOR": "0",
    }
    for step in steps(page.read_text()):
        if step.file:
            file = folder / step.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text((step.text or "").replace("/srv", str(served)))
            continue
        done = subprocess.run(
            ["bash", "-c", step.command.replace("/srv", str(served))],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        printed = done.stdout.replace(str(served), "/srv")
        assert step.text is None or is_told(step.text, printed), f"$ {step.command}\n{printed}"
