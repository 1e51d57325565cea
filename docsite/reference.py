"""Write the pages of the reference that are made from the code into a folder: commands, types, Python."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from ansible_ensemble.cli.catalogue import COMMANDS, EXIT_CODES
from ansible_ensemble.cli.command import Command
from ansible_ensemble.cli.parser import Parser, parser_for

DOCS = Path(__file__).resolve().parent.parent / "docs"
#: What users import: modules, with names in them where not all is for users.
MODULES = {
    "ansible_ensemble.configurators.api": "",
    "ansible_ensemble.configurators.protocol": "Configurator, Result",
    "ansible_ensemble.provision.client.client": "",
}


def pages() -> Iterator[tuple[str, str]]:
    """The names of the pages, each with its text."""
    yield "commands/index", "\n".join(_commands())
    for command in _paged(COMMANDS):
        yield _page(command), "\n".join([f"# {command.name}", "", *_command(command)])
    yield "types", "\n".join(_types())
    yield "python", "\n".join(_python())


# --- commands --------------------------------------------------------------------------------------------------------


def _paged(commands: tuple[Command, ...]) -> Iterator[Command]:
    """The commands that have pages: parts of `provision` are told of by what they are about."""
    for command in commands:
        yield from command.parts if command.name == "provision" else (command,)


def _page(command: Command) -> str:
    return f"commands/{command.name.replace(' ', '-')}"


def _commands() -> Iterator[str]:
    """The list of commands, by groups."""
    yield from (
        "# Commands",
        "",
        "`ansible-ensemble COMMAND [options]`; without a path, commands use `./ensemble.yaml`.",
    )
    for group, commands in groupby(COMMANDS, lambda command: command.group):
        yield from ("", f"## {group}", "")
        yield from (f"- [{one.name}]({Path(_page(one)).name}.md): {one.summary}" for one in _paged(tuple(commands)))
    yield from ("", "## Exit codes", "", "| code | meaning |", "|---|---|")
    yield from (f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())


def _command(command: Command, level: int = 2) -> Iterator[str]:
    """What a command does and takes; of one that has parts, each of them."""
    yield from (f"{command.summary[0].upper()}{command.summary[1:]}.", "")
    if command.alias:
        yield from (f"Also: `{command.alias}`.", "")
    if command.extra:
        yield from (f"It needs the extra `{command.extra}` of the package.", "")
    for part in command.parts:
        yield from (f"{'#' * level} {part.name}", "")
        yield from _command(part, level + 1)
    if not command.parts:
        yield from _arguments(_parser(command), level)


def _parser(command: Command) -> Parser:
    parser = parser_for(command)
    importlib.import_module(f"ansible_ensemble.cli.commands.{command.module}").configure(parser)
    return parser


def _arguments(parser: Parser, level: int) -> Iterator[str]:
    """The arguments of a command, by groups."""
    yield from ("```", parser.format_usage().strip().removeprefix("usage: "), "```", "")
    for group in parser._action_groups:  # argparse has no other name for them
        actions = [one for one in group._group_actions if one.help != argparse.SUPPRESS and one.dest != "help"]
        title = str(group.title).removeprefix("positional ").capitalize()
        if actions:
            yield from (f"{'#' * level} {title}", "", "| argument | meaning |", "|---|---|")
            yield from map(_argument, actions)
            yield ""


def _argument(action: argparse.Action) -> str:
    named = action.metavar or ("" if action.choices else action.dest)
    operand = named if isinstance(named, str) else " ".join(named)
    value = "" if action.nargs == 0 else operand
    names = ", ".join(f"`{f'{name} {value}'.rstrip()}`" for name in action.option_strings) or f"`{operand}`"
    choices = f"; one of {', '.join(f'`{one}`' for one in action.choices)}" if action.choices else ""
    return f"| {names} | {_cell((action.help or '').replace('%%', '%'))}{choices} |"


# --- types -----------------------------------------------------------------------------------------------------------


def _types() -> Iterator[str]:
    """The types of the profile."""
    profile = yaml.safe_load(resources.files("ansible_ensemble.language").joinpath("profile.yaml").read_text("utf-8"))
    yield from ("# Types", "", "The types that ship with the product, and what they declare themselves; what they")
    yield from ("derive from adds to it. Those of TOSCA are as its standard has them.", "")
    for section in ("node_types", "data_types"):
        for name, declared in profile.get(section, {}).items():
            yield from (f"## {name}", "")
            yield from _type(name, declared)


def _type(name: str, declared: Mapping[str, Any]) -> Iterator[str]:
    if "derived_from" in declared:
        yield from (f"Derived from `{declared['derived_from']}`.", "")
    told = [page for page in sorted(DOCS.glob("*.md")) if name in page.read_text(encoding="utf-8")]
    if told:
        yield from (f"Told of in {', '.join(f'[{page.stem}](../{page.name})' for page in told)}.", "")
    if declared.get("properties"):
        yield from ("| property | type | default | |", "|---|---|---|---|")
        yield from (_property(key, value) for key, value in declared["properties"].items())
        yield ""
    if declared.get("attributes"):
        yield from ("| attribute | type |", "|---|---|")
        yield from (f"| `{key}` | {_kind(value)} |" for key, value in declared["attributes"].items())
        yield ""
    operations = [
        f"`{interface}.{operation}`"
        for interface, parts in declared.get("interfaces", {}).items()
        for operation in parts.get("operations", {})
    ]
    if operations:
        yield from (f"Operations: {', '.join(operations)}.", "")


def _property(name: str, declared: Mapping[str, Any]) -> str:
    default = f"`{_flow(declared['default'])}`" if "default" in declared else ""
    needed = [] if "default" in declared or not declared.get("required", True) else ["required"]
    told = [*needed, *(f"`{_flow(one)}`" for one in declared.get("constraints", ()))]
    return f"| `{name}` | {_kind(declared)} | {_cell(default)} | {_cell('; '.join(told))} |"


def _kind(declared: Mapping[str, Any]) -> str:
    entry = declared.get("entry_schema", {}).get("type")
    return f"{declared.get('type', 'any')}{f' of {entry}' if entry else ''}"


def _flow(value: Any) -> str:
    """A value as YAML in one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("...\n").strip()


# --- Python ----------------------------------------------------------------------------------------------------------


def _python() -> Iterator[str]:
    """The modules that users import."""
    yield from (
        "# Python",
        "",
        "What [configurators](../configurators.md#your-own-in-python) and programs that talk to a",
    )
    yield from ("[server of machines](../provision.md) import.", "")
    for module, names in MODULES.items():
        yield from (
            f"## {module}",
            "",
            "```{eval-rst}",
            f".. automodule:: {module}",
            f"   :members: {names}",
            "```",
            "",
        )


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def main(folder: Path) -> None:
    """Write all pages."""
    for name, text in pages():
        page = folder / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
