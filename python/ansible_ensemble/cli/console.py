"""Where a command's output goes, and how it looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, UsageError, each, error_document
from ansible_ensemble.core.json_text import json_text
from ansible_ensemble.core.output import outlive_reader
from ansible_ensemble.core.sensitive import redact
from ansible_ensemble.reports.style import Style, style_for
from ansible_ensemble.reports.table import labelled


def _ask_password(prompt: str) -> str:
    from getpass import getpass

    return getpass(prompt)


class Console(Struct):
    """The terminal, or a substitute for it.

    Attributes:
        stdin, stdout, stderr: the streams.
        environment: the environment variables.
        output: what is written to stdout: text for people, which else goes to stderr, or a document of another format.
        no_colour: the user wants no colour.
        answered: a JSON document has been written.
        ask_password: asks for a password without showing it.
    """

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environment: Mapping[str, str]
    output: str = "text"
    no_colour: bool = False
    answered: bool = False
    ask_password: Callable[[str], str] = _ask_password

    @property
    def machine(self) -> bool:
        """Whether stdout is for a document alone."""
        return self.output != "text"

    @property
    def style(self) -> Style:
        """How text for people is emphasised."""
        return style_for(self.for_people, self.environment, no_colour=self.no_colour)

    @property
    def is_terminal(self) -> bool:
        """Whether text for people goes to a terminal."""
        return self.for_people.isatty()

    @property
    def for_people(self) -> TextIO:
        """The stream of what people read."""
        return self.stderr if self.machine else self.stdout

    def outlive_readers(self) -> None:
        """From here on a job runs: it runs to its end, even if its output is no longer read."""
        outlive_reader(self.stdout)
        outlive_reader(self.stderr)

    def tell(self, text: str) -> None:
        """Write text for people; it ends its lines itself."""
        _write(self.for_people, text)

    def line(self, text: str) -> None:
        """Write one line for people."""
        self.tell(f"{text}\n")

    def result(self, text: str) -> None:
        """Write the result of a command to stdout."""
        _write(self.stdout, text)

    def document(self, document: Any) -> None:
        """Write a JSON document to stdout; what is marked as sensitive is masked."""
        self.answered = True
        self.result(json_text(redact(document), indent=2, ensure_ascii=False) + "\n")

    def record(self, document: Any) -> None:
        """Write a JSON document to stdout in one line, as one of many."""
        self.answered = True
        self.result(json_text(redact(document), ensure_ascii=False) + "\n")

    def answer(self, document: Any, text: Callable[[], str]) -> None:
        """Write what a command found or did: the document where JSON is asked for, else the text, made only then."""
        if self.machine:
            self.document(document)
        else:
            self.tell(text())

    def error(self, error: EnsembleError) -> None:
        """Write an error, or each of several, to stderr; as a JSON document, too, where one is awaited."""
        style = style_for(self.stderr, self.environment, no_colour=self.no_colour)
        outlive_reader(self.stderr)  # the exit code reports it too
        errors = each(error) if isinstance(error, InvalidInput) else [error]
        for one in errors:
            _write(self.stderr, "\n".join(labelled(style.bad("Error:"), str(one), style.columns)) + "\n")
        if self.output == "json" and not self.answered:
            self.document({"errors": [error_document(one) for one in errors]})

    def notice(self, text: str) -> None:
        """Write one line beside the result, to stderr."""
        _write(self.stderr, f"Notice: {text}\n")

    def confirm(self, question: str) -> bool:
        """Ask a question that only `yes` approves, and that `--approve` answers beforehand."""
        if not (self.stdin.isatty() and self.is_terminal):
            raise UsageError("there is no terminal to ask for approval", hint="review the plan, then give --approve")
        self.tell(self.style.strong(f"\n{question} Only 'yes' is accepted: "))
        return self.stdin.readline().strip() == "yes"


def standard_console(environment: Mapping[str, str]) -> Console:
    """The console of this process."""
    return Console(sys.stdin, sys.stdout, sys.stderr, environment)


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()
