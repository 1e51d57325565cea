"""An argument parser with errors of our form, which suggest the nearest option."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, NoReturn

from ansible_ensemble.cli.command import Command
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.regex import regex

#: What shows all options.
HELP_ALL = "--help-all"

RARE = frozenset(
    {
        "--var",
        "--template",
        "--repair",
        "--change-detection",
        "--skip-new",
        "--upgrade",
        "--check-first",
        "--destroyunmanaged",
        "--jobs-per-host",
        "--no-fast-modules",
        "--stock-module",
        "--mesh",
        "--grace",
        "--push",
        "--message",
        "--dirty",
        "--locked",
        "--user",
        "--connection",
        "--private-key",
        "--timeout",
        "--ssh-common-args",
        "--become-method",
        "--become-user",
        "--ask-pass",
        "--skip-upstream-check",
        "--vault-id",
        "--log-file",
        "--no-color",
        "--query",
        "--junit",
    }
)

#: What an import acts on by itself; its other options are of the job that adopts what is there.
OF_IMPORT = frozenset(
    {
        "--help",
        "--adopt",
        "--approve",
        "--extra-vars",
        "--inventory",
        "--environment",
        "--vault-id",
        "--ask-vault-pass",
        "--vault-password-file",
        "--verbose",
        "--output",
    }
)


class Parser(argparse.ArgumentParser):
    """The parser of one command. An option that is not given leaves no attribute unless it has a default.

    Attributes:
        command: the command's name.
        takes_command: whether `-- WORD ...` may end the arguments; the words are then stored in `command`.
        is_mixed: whether options may stand between arguments of which there may be any number.
        shows_all: whether its help has every option.
        rare: the options that its help has not otherwise.
        alone: the options that matter without the option `more`, where there is one.
    """

    command = ""
    takes_command = False
    is_mixed = False
    shows_all = False
    rare: frozenset[str] = frozenset()
    more = ""
    alone: frozenset[str] = frozenset()

    @property
    def actions(self) -> list[argparse.Action]:
        """All arguments, in the order in which they were added."""
        return list(self._actions)

    def error(self, message: str) -> NoReturn:
        """Raise instead of writing usage."""
        raise UsageError(message, hint=f"see `{self.prog} --help`")

    def format_usage(self) -> str:
        """The usage without the options, which are listed below it anyway."""
        return f"{self._usage_line()}\n"

    def format_help(self) -> str:
        """The help; its usage is without the options, and fits. Options that few need are left to `--help-all`."""
        lines = wrap(
            self._usage_line(), get_terminal_size().columns - 2, subsequent_indent=" " * 7, break_on_hyphens=False
        )
        self.usage = "\n".join(lines).removeprefix("usage: ").replace("%", "%%")
        hidden = {action: action.help for action in self.actions if self._is_hidden(action)}
        if hidden:
            self.epilog = f"`{self.prog} {HELP_ALL}` shows {len(hidden)} more options."
        try:
            for action in hidden:
                action.help = argparse.SUPPRESS
            return super().format_help()
        finally:
            for action, text in hidden.items():
                action.help = text

    def _is_hidden(self, action: argparse.Action) -> bool:
        names = frozenset(action.option_strings)
        if self.shows_all or not names:
            return False
        return not names & self.alone if self.alone else bool(names & self.rare)

    def _usage_line(self) -> str:
        return " ".join(["usage:", self.prog, "[options]", *map(_operand, self._get_positional_actions())]) + (
            " [-- COMMAND ...]" if self.takes_command else ""
        )

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse a command's arguments."""
        words, command = list(arguments), []
        self.shows_all = HELP_ALL in words
        if self.more in words:
            self.alone = frozenset()
        if "--" in words:
            end = words.index("--")
            words, command = words[:end], words[end + 1 :]
            if not self.takes_command:
                raise UsageError('"--" is not expected here', hint=f"see `{self.prog} --help`")
        options = [option for action in self.actions for option in action.option_strings]
        for word in words:
            # argparse would take the `-i` of `-input=false` for an option, and the rest for its value
            if _ONE_DASH.fullmatch(word) and (hint := _known_elsewhere(word, options)):
                raise UsageError(f'"{word}" is not expected here', hint=hint)
        namespace, unknown = (self.parse_known_intermixed_args if self.is_mixed else self.parse_known_args)(words)
        if command:
            namespace.command = command
        for word in unknown:
            hint = None
            if word.startswith("-"):
                hint = _known_elsewhere(word, options) or nearest(word.partition("=")[0], options)
            raise UsageError(f'"{word}" is not expected here', hint=hint or f"see `{self.prog} --help`")
        return namespace


#: A long option with one dash, as Terraform has them.
_ONE_DASH = regex(r"-[a-z]{2}[a-z-]+(=.*)?", re.DOTALL)


def _known_elsewhere(word: str, options: list[str]) -> str | None:
    from ansible_ensemble.cli.elsewhere import option_hint

    return option_hint(word, options)


def _operand(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    nargs = getattr(action, "save_nargs", action.nargs)  # argparse sets it aside while it reads mixed arguments
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(nargs), name)


class PassOn(argparse.Action):
    """An option that ansible-playbook knows: it is collected in `ansible`, as it was given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - the signature is argparse's
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Append the option and its value."""
        collected = list(getattr(namespace, "ansible", []))
        collected.append(str(self.option_strings[-1]))
        if self.nargs != 0:
            collected.append(str(values))
        namespace.ansible = collected


def parser_for(command: Command) -> Parser:
    """An empty parser for a command."""
    parser = Parser(
        prog=f"ansible-ensemble {command.name}",
        description=f"{command.summary[0].upper()}{command.summary[1:]}.",
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        formatter_class=_Formatter,
    )
    parser.command = command.name
    parser.rare = RARE if command.runs or command.name == "plan" else frozenset()
    parser.add_argument(HELP_ALL, action="help", help="show all options, and exit")
    return parser


class _Formatter(argparse.HelpFormatter):
    """Help with room for our option names."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)
