"""Pages as they are read: their blocks, the files among these, and the commands they show, with what these print.

A block is a file if the line before it names it, in backticks and with a colon at its end, or if its own first line
does, as a comment. A command is a line `$ ...` of a console block; that of a comment `<!-- run: ... -->` readers do not
see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]

_PART = re.compile(
    r"^(?:[^\n]*`(?P<before>[\w./-]*\.\w+)`[^\n]*:\n\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$"
    r"|^<!-- run: (?P<hidden>.*?) -->$",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r"# ([\w./-]*\.\w+)\n")
_COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_END = "END OF THE FILE"


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two fences.

    Attributes:
        line: the line of the first fence.
        name: the name of the file that it is; empty if it is none.
    """

    line: int
    language: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A command, and what it prints; None if that does not matter."""

    command: str
    printed: str | None = ""


def page(name: str) -> str:
    """The text of a page of the documentation."""
    return (REPOSITORY / "docs" / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """A section of a page."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def prose(text: str) -> str:
    """A page without its blocks."""
    return _FENCED.sub("", text)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, in their order."""
    return (_block(found) for found in _PART.finditer(text) if found["text"] is not None)


def steps(text: str) -> Iterator[Step]:
    """The commands of a page, in their order; that which writes a file is one."""
    for found in _PART.finditer(text):
        if found["hidden"]:
            yield Step(found["hidden"], None)
        else:
            yield from _steps(_block(found))


def _block(found: re.Match[str]) -> Block:
    within = _NAME.match(found["text"])
    before = "" if found["language"] == "console" else found["before"] or ""
    line = found.string.count("\n", 0, found.start("language")) + 1
    return Block(line, found["language"], within[1] if within else before, found["text"])


def _steps(block: Block) -> Iterator[Step]:
    if block.language == "console":
        for command, printed in _COMMAND.findall(block.text):
            yield Step(command.replace("\n> ", "\n").rstrip(), printed)
    elif block.name:
        folder = Path(block.name).parent
        yield Step(f"mkdir -p {folder}; cat > {block.name} <<'{_END}'\n{block.text}{_END}")
