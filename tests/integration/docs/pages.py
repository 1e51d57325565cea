"""Pages as stories: the files they name, and the commands they show, with what these print.

A file is a line that holds its name alone, in backticks and with a colon, and the block below it; a command is a line
`$ ...` of a console block, and a comment `<!-- run: ... -->` is one that readers do not see. `/srv` is a folder of the
test's own. A line `...` of what is printed stands for any lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: What is another one each time: times, ids of changes, and columns that are as wide as these.
_VARYING = (
    (r" *\b\d+\.\d+( ?s)?\b", " SECONDS"),
    (r"\b[A-Z](?=\w*\d)[0-9A-Za-z]{11}\b", "CHANGE"),
    (r"\b[A-Z](?=\w*\d)[0-9A-Za-z]{7}\b(?=\.)", "JOB"),
    (r"\b\d{4}-\d\d-\d\d[- ]\d\d[-:]\d\d[-:]\d\d\b", "TIME"),
)
_STEP = re.compile(
    r"^`(?P<file>[\w./-]+)`:\n\n```\w*\n(?P<text>.*?)^```$"
    r"|^```console\n(?P<shown>.*?)^```$"
    r"|^<!-- run: (?P<hidden>.*?) -->$",
    re.DOTALL | re.MULTILINE,
)
_COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """A file to write, or a command to run.

    Attributes:
        command: the command; empty for a file.
        file: the file's name.
        text: what the file holds, or what the command prints; None if that does not matter.
    """

    command: str
    file: str
    text: str | None


def steps(page: str) -> Iterator[Step]:
    """The steps of a page, in their order."""
    for found in _STEP.finditer(page):
        if found["file"]:
            yield Step("", found["file"], found["text"])
        elif found["hidden"]:
            yield Step(found["hidden"], "", None)
        else:
            for command, printed in _COMMAND.findall(found["shown"]):
                yield Step(command.replace("\n> ", "\n").rstrip(), "", printed)


def alike(text: str) -> str:
    """A text, with the same words where it varies."""
    for pattern, word in _VARYING:
        text = re.sub(pattern, word, text)
    return text


def is_told(told: str, printed: str) -> bool:
    """Whether a page tells what was printed."""
    parts = re.split(r"^\.\.\.\n", alike(told), flags=re.MULTILINE)
    return bool(re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), alike(printed)))
