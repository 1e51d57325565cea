"""`provision agent`: what it is told, and what it refuses before it talks to a server."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.main import execute
from ansible_ensemble.cli.session import Session

EMPTY = "Error: A command for the power is empty (--skip-power leaves the power to others)\n"


def _called(folder: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    environment = {"HOME": str(folder), "RS_ENDPOINT": "https://127.0.0.1:1", **variables}
    code = execute(["provision", "agent", *words], Session(Console(io.StringIO(), out, err, environment)))
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "Error: Which machine is this? (give its name or UUID, or set RS_UUID)\n"),
        (["m", "--reboot-command", "sh -c 'x"], 2, "Error: sh -c 'x is no command: No closing quotation\n"),
        (["m", "--poweroff-command", ""], 2, EMPTY),
        (["m", "-E", "nonsense"], 3, "Error: nonsense is not the address of a server (it is https://HOST:PORT)\n"),
        (["m", "-E", "https://h:65536"], 3, "Error: https://h:65536 is not the address of a server (it is https://HOST:PORT)\n"),
        (["m", "-E", "https://[::1"], 3, "Error: https://[::1 is not the address of a server (it is https://HOST:PORT)\n"),
        (["m", "more"], 2, None),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, words: list[str], code: int, message: str | None) -> None:
    ended, out, err = _called(tmp_path, *words)
    assert (ended, out) == (code, "")
    assert message is None or err == message
