"""Stories of pages: commands, each with what it prints, and the files that are written between them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_MARK = "--- step {} ---"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)
#: The first line of a file that a page shows whole.
_FILE = re.compile(r"# ([\w./-]+)\n")
_END = "END OF THE FILE"


@dataclass(frozen=True)
class Step:
    """A command, and what it prints."""

    command: str
    printed: str = ""


def steps_of(text: str) -> list[Step]:
    """The steps of a page or section, in order; a file that it shows whole is written."""
    found: list[Step] = []
    for language, body in _BLOCK.findall(text):
        name = _FILE.match(body)
        if language == "console":
            commands = _COMMAND.findall(body)
            found += [Step(command.replace("\n> ", "\n").rstrip(), printed) for command, printed in commands]
        elif name:
            folder = Path(name[1]).parent
            found.append(Step(f"mkdir -p {folder}; cat > {name[1]} <<'{_END}'\n{body}{_END}"))
    return found


def alike(text: str, varying: Mapping[str, str]) -> str:
    """The text, with the same words where it varies."""
    for pattern, word in varying.items():
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return text


def live(steps: Iterable[Step], folder: Path, environment: Mapping[str, str]) -> list[str]:
    """What the commands print, one after the other in one shell."""
    script = "".join(f"echo '{_MARK.format(number)}'\n{step.command}\n" for number, step in enumerate(steps))
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )
    return re.split(_MARK.format(r"\d+") + "\n", done.stdout)[1:]
