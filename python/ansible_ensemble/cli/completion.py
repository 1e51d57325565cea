"""Completion of commands and options in shells."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator

from ansible_ensemble.cli.catalogue import COMMANDS, Command
from ansible_ensemble.cli.parser import parser_for

SHELLS = ("bash", "zsh", "fish")


def completion_script(shell: str) -> str:
    """The script that makes a shell complete the command; one of `SHELLS`."""
    if shell == "fish":
        return "\n".join(_fish()) + "\n"
    bash = "\n".join(_bash()) + "\n"
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash}" if shell == "zsh" else bash


def options_of(command: Command) -> list[argparse.Action]:
    """The options of a command, from its parser."""
    parser = parser_for(command)
    importlib.import_module(f"ansible_ensemble.cli.commands.{command.module}").configure(parser)
    return [action for action in parser.actions if action.option_strings]


def _names() -> Iterator[tuple[str, Command]]:
    for command in COMMANDS:
        yield command.name, command
        if command.alias:
            yield command.alias, command


def _bash() -> Iterator[str]:
    yield "_ansible_ensemble() {"
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'    words="{" ".join(name for name, _ in _names())}"'
    yield '  elif [ "${current:0:1}" = "-" ]; then'
    yield '    case "${COMP_WORDS[1]}" in'
    for name, command in _names():
        words = [option for action in options_of(command) for option in action.option_strings if option[:2] == "--"]
        yield f'      {name}) words="{" ".join(words)}" ;;'
    yield "    esac"
    yield "  fi"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o default -F _ansible_ensemble ansible-ensemble"


def _fish() -> Iterator[str]:
    for name, command in _names():
        yield f"complete -c ansible-ensemble -n __fish_use_subcommand -a {name} -d {_quoted(command.summary)}"
        for action in options_of(command):
            words = [f"-s {o[1:]}" if o[:2] != "--" else f"-l {o[2:]}" for o in action.option_strings]
            value = " -r" if action.nargs != 0 else ""
            yield (
                f"complete -c ansible-ensemble -n '__fish_seen_subcommand_from {name}' {' '.join(words)}{value}"
                f" -d {_quoted(action.help or '')}"
            )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
