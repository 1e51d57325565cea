"""Stories of pages: commands, each with what it prints, and the files that are written between them."""

from __future__ import annotations

import os
import re
import subprocess
import termios
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

_MARK = "--- step {} ---"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)
#: The first line of a file that a page shows whole.
_FILE = re.compile(r"# ([\w./-]+)\n")
#: A line of progress, which the next one takes the place of.
_ERASED = re.compile(r"[^\n]*\r\x1b\[K")
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


def live(
    steps: Iterable[Step], folder: Path, environment: Mapping[str, str], *, columns: int | None = None
) -> list[str]:
    """What the commands print, one after the other in one shell; on a terminal, if it has so many columns."""
    script = "".join(f"echo '{_MARK.format(number)}'\n{step.command}\n" for number, step in enumerate(steps))
    shown, output = os.openpty() if columns else os.pipe()
    if columns:
        termios.tcsetwinsize(output, (24, columns))
    with (
        FileIO(shown) as reader,
        subprocess.Popen(
            ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        ),
    ):
        os.close(output)
        text = b"".join(_read(reader)).decode()
    text = _ERASED.sub("", text.replace("\r\n", "\n"))
    return re.split(_MARK.format(r"\d+") + "\n", text)[1:]


def _read(reader: FileIO) -> Iterator[bytes]:
    """All that is written until the last of the writers has ended, which Linux tells as an error of a terminal."""
    with suppress(OSError):
        while part := reader.read(1 << 16):
            yield part
