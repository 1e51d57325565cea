"""Pages as they are lived: their commands in one shell, each of which prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import termios
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

from tests.integration.docs.pages import Step
from tests.preloaded import PROGRAMS, stand_ins

#: What is another one each time, by what it is.
VARYING = {
    r"^.* still running \(\d+s\)\n": "",  # a reminder, on a slow machine
    r"\d+\.\d(?= ?s\b)|(?<= ) *\d+\.\d(?=$|  )|(?<=failed  )\d+s": "SECONDS",
    r"\b[A-Z]\d[0-9A-Za-z]{6}[0-9A-Z]{4}\b": "JOB",
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+Z": "TIME",
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": "UUID",
    r"(?<=https://127\.0\.0\.1:)\d+": "PORT",
    r"(?<=rocketskates is )\S+": "PASSWORD",
    r" +$": "",  # Ansible's recap has some
}
#: The number of an operation in the order in which they ended, which several at once do in any order.
_NUMBER = re.compile(r"^ *\d+  ")
_SIDE_BY_SIDE = re.compile(r"^\[2/\d+\] ", re.MULTILINE)
#: A line that stands for any lines.
_ANY = re.compile(r"^\.\.\.\n", re.MULTILINE)
_MARK = "--- step {} ---"
#: A line of progress, which the next one takes the place of.
_ERASED = re.compile(r"[^\n]*\r\x1b\[K")


def live(
    steps: Iterable[Step],
    folder: Path,
    words: Mapping[str, str],
    *,
    home: Path | None = None,
    columns: int | None = None,
    programs: Path = PROGRAMS,
    within: Sequence[str] = (),
    **variables: str,
) -> None:
    """Run the commands, one after the other in one shell, and fail where one prints what the page does not say.

    Args:
        folder: where the shell begins.
        words: what stands in the page for a path or a port, with that of this test.
        home: the user's home; the folder, unless it is said.
        columns: the width of the terminal; without it, there is none.
        programs: the folder of the commands.
        within: a command that runs the shell, as in a namespace of the network.
        variables: more variables of the environment.
    """
    environment = {
        "HOME": str(home or folder),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PAGER": "cat",
        **variables,
    }
    steps = list(steps)
    commands = [_replaced(step.command, words) for step in steps]
    if programs == PROGRAMS and not within:
        with stand_ins(environment) as (quicker, inherited):
            printed = _run(["bash", "-c"], commands, folder, quicker, inherited, columns=columns)
    else:
        printed = _run([*within, "bash", "-c"], commands, folder, environment, columns=columns)
    back = {meant: word for word, meant in words.items()}
    for step, found in zip(steps, printed, strict=True):
        if step.printed is not None:
            _compare(step.command, step.printed, _replaced(found, back))


def alike(text: str) -> str:
    """The text, with the same words where it varies."""
    for pattern, word in VARYING.items():
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return text


def _compare(command: str, told: str, printed: str) -> None:
    wanted, found = alike(told), alike(printed)
    parts = _ANY.split(wanted)
    if len(parts) > 1:
        assert re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), found), f"$ {command}\n{printed}"
    elif _SIDE_BY_SIDE.search(wanted):
        assert _unordered(found) == _unordered(wanted), command
    else:
        assert found.splitlines() == wanted.splitlines(), command


def _unordered(text: str) -> list[str]:
    return sorted(_NUMBER.sub("NUMBER  ", line) for line in text.splitlines())


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for word, meant in words.items():
        text = text.replace(word, meant)
    return text


def _run(
    shell: list[str],
    commands: list[str],
    folder: Path,
    environment: Mapping[str, str],
    inherited: Collection[int] = (),
    *,
    columns: int | None,
) -> list[str]:
    """What the commands print; on a terminal, if it has so many columns."""
    script = "".join(f"echo '{_MARK.format(number)}'\n{command}\n" for number, command in enumerate(commands))
    shown, output = os.openpty() if columns else os.pipe()
    if columns:
        termios.tcsetwinsize(output, (24, columns))
    with (
        FileIO(shown) as reader,
        subprocess.Popen(
            [*shell, script],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=inherited,
        ),
    ):  # fmt: skip
        os.close(output)
        text = b"".join(_read(reader)).decode()
    text = _ERASED.sub("", text.replace("\r\n", "\n"))
    return re.split(_MARK.format(r"\d+") + "\n", text)[1:]


def _read(reader: FileIO) -> Iterator[bytes]:
    """All that is written until the last of the writers has ended, which Linux tells as an error of a terminal."""
    with suppress(OSError):
        while part := reader.read(1 << 16):
            yield part
