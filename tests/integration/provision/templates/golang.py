"""Go's own text/template, for comparison."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "go"
SPRIG = "github.com/Masterminds/sprig/v3@v3.3.0"


@dataclass(frozen=True)
class Case:
    text: str
    data: Any
    strict: bool = False


@dataclass(frozen=True)
class Result:
    output: str
    error: str


class Go:
    """A program that renders lists of cases."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def render(self, cases: list[Case]) -> list[Result]:
        given = json.dumps([{"Text": case.text, "Data": case.data, "Strict": case.strict} for case in cases])
        done = subprocess.run([self._program], input=given.encode(), capture_output=True, timeout=300, check=True)
        return [Result(result["Output"], result["Error"]) for result in json.loads(done.stdout)]


def build(folder: Path, sprig: bool) -> Go | str:
    """The program; or why there is none."""
    if shutil.which("go") is None:
        return "no Go on this machine"
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    (folder / "go.mod").write_text("module compare\n\ngo 1.22\n")
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    steps = [["go", "get", SPRIG]] if sprig else []
    steps.append(["go", "build", "-tags", "sprig" if sprig else "none", "-o", "compare", "."])
    for step in steps:
        done = subprocess.run(
            step, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode:
            return f"{' '.join(step)}: {done.stderr.strip()[-300:]}"
    return Go(folder / "compare")
