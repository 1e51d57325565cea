"""The command as people type it, with a server: what it prints, and its exit code."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.main import execute
from ansible_ensemble.cli.session import Session


class Stream(io.StringIO):
    """A stream that may be a terminal."""

    terminal = False

    def isatty(self) -> bool:
        return self.terminal


@dataclass
class Done:
    """How a call of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, which is JSON and nothing else."""
        return json.loads(self.out)


class CommandLine:
    """Calls `ansible-ensemble provision` in this process.

    Attributes:
        environment: the environment variables.
        passwords: answers to questions for passwords.
        out: what the call that runs has printed so far.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.passwords: list[str] = []
        self.out = Stream()

    def __call__(self, *words: str, stdin: str = "", terminal: bool = False, code: int | None = 0) -> Done:
        """Run it; the exit code has to be this one, if one is given."""
        streams = Stream(stdin), Stream(), Stream()
        for stream in streams:
            stream.terminal = terminal
        self.out = streams[1]
        answers = iter(self.passwords)
        console = Console(*streams, self.environment, ask_password=lambda _: next(answers))
        done = Done(execute(["provision", *words], Session(console)), streams[1].getvalue(), streams[2].getvalue())
        assert code is None or done.code == code, (words, done)
        assert "bug in ansible-ensemble" not in done.err
        return done

    def ask(self, *words: str, **said: Any) -> Any:
        """The JSON that it prints."""
        return self(*words, "--output", "json", **said).json
