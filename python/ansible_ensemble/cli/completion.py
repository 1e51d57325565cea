"""Completion of commands and options in shells."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator

from ansible_ensemble.cli.catalogue import COMMANDS, names_of
from ansible_ensemble.cli.command import Command
from ansible_ensemble.cli.parser import parser_for

SHELLS = ("bash", "zsh", "fish")
#: Options whose values are names of the ensemble here, and of which kind (`jobs.names`).
_NAMED = {
    "--instance": "instances",
    "--limit": "instances",
    "-l": "instances",
    "--replace": "instances",
    "--template": "templates",
    "--workflow": "workflows",
    "--operation": "operations",
    "--raw": "outputs",
}
#: Commands whose arguments are such names.
_ARGUMENTS = {
    "show": "changes",
    "replay": "changes",
    "rollback": "jobs",
    "forget": "instances",
    "adopt": "templates",
}


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


def _groups(command: Command, before: str) -> Iterator[tuple[str, Command]]:
    """A command that has parts, and those of its parts that have, by the words before a part of theirs."""
    if command.parts:
        yield before, command
    for word, part in names_of(command.parts):
        yield from _groups(part, f"{before} {word}".lstrip())


def _calls(command: Command, before: str) -> Iterator[tuple[str, Command]]:
    """The commands that do something, by the words that call them."""
    if not command.parts:
        yield before, command
    for word, part in names_of(command.parts):
        yield from _calls(part, f"{before} {word}".lstrip())


_ALL = Command("", "", "", "", made_of=lambda: COMMANDS)


def _bash() -> Iterator[str]:
    yield "_ansible_ensemble() {"
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield '  local before="${COMP_WORDS[*]:1:COMP_CWORD-1}"'
    yield '  case "$before " in'
    for words, patterns in _by_value().items():
        yield f"    {'|'.join(patterns)}) words={words} ;;"
    yield "  esac"
    yield '  if [ -n "$words" ]; then :'
    yield '  elif [ "${current:0:1}" = "-" ]; then'
    yield '    case "$before " in'
    for words, calls in _by_words().items():
        yield f'      {"|".join(calls)}) words="{words}" ;;'
    yield "    esac"
    yield "  else"
    yield '    case "$before" in'
    for call, command in _groups(_ALL, ""):
        yield f'      "{call}") words="{" ".join(word for word, _other in names_of(command.parts))}" ;;'
    for name, kind in _ARGUMENTS.items():
        yield f'      "{name}"|"{name} "*) words={_asked(kind)} ;;'
    yield "    esac"
    yield "  fi"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o default -F _ansible_ensemble ansible-ensemble"


def _by_words() -> dict[str, list[str]]:
    """Bash's patterns of the calls that have the same options, by these."""
    patterns: dict[str, list[str]] = {}
    for call, command in _calls(_ALL, ""):
        words = [option for action in options_of(command) for option in action.option_strings if option[:2] == "--"]
        patterns.setdefault(" ".join(words), []).append(f'"{call} "*')
    return patterns


def _by_value() -> dict[str, list[str]]:
    """Bash's patterns of what stands before the value of an option, by the words that the value may be."""
    patterns: dict[str, list[str]] = {}
    for call, command in _calls(_ALL, ""):
        for action in options_of(command):
            kind = _kind(call, action)
            words = _asked(kind) if kind else f'"{" ".join(action.choices)}"' if action.choices else ""
            if words:
                patterns.setdefault(words, []).extend(f'"{call} "*"{option} "' for option in action.option_strings)
    return patterns


def _kind(call: str, action: argparse.Action) -> str | None:
    """Of which kind the names are that an option takes; those of machines are no business of an ensemble."""
    if call.startswith("provision"):
        return None
    return next((_NAMED[option] for option in action.option_strings if option in _NAMED), None)


def _asked(kind: str) -> str:
    """What asks for the names of a kind when the shell completes."""
    return f'"$(ansible-ensemble completion --values {kind} 2>/dev/null)"'


#: Whether the words before the cursor begin with one of the calls.
_CALLED = """\
function __ansible_ensemble_called
  string match -qr -- "^\\S+ ($argv[1])( |\\$)" (string join ' ' (commandline -opc))
end"""


def _fish() -> Iterator[str]:
    yield _CALLED
    for before, group in _groups(_ALL, ""):
        at = " ".join(["ansible-ensemble", *before.split()])
        for word, part in names_of(group.parts):
            condition = f"test (string join ' ' (commandline -opc)) = '{at}'"
            yield f"complete -c ansible-ensemble -n {_quoted(condition)} -a {word} -d {_quoted(part.summary)}"
    for command_name, kind in _ARGUMENTS.items():
        condition = f"__ansible_ensemble_called '{command_name}'"
        yield f"complete -c ansible-ensemble -n {_quoted(condition)} -f -a {_quoted(_offered(kind))}"
    for option, calls in _by_option().items():
        condition = f"__ansible_ensemble_called '{'|'.join(calls)}'"
        yield f"complete -c ansible-ensemble -n {_quoted(condition)} {option}"


def _by_option() -> dict[str, list[str]]:
    """The calls that have an option, by how fish describes it."""
    by_option: dict[str, list[str]] = {}
    for call, command in _calls(_ALL, ""):
        for action in options_of(command):
            words = [f"-s {o[1:]}" if o[:2] != "--" else f"-l {o[2:]}" for o in action.option_strings]
            kind = _kind(call, action)
            offered = _offered(kind) if kind else " ".join(action.choices or ())
            value = f" -x -a {_quoted(offered)}" if offered else " -r" if action.nargs != 0 else ""
            by_option.setdefault(f"{' '.join(words)}{value} -d {_quoted(action.help or '')}", []).append(call)
    return by_option


def _offered(kind: str) -> str:
    return f"(ansible-ensemble completion --values {kind} 2>/dev/null)"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
