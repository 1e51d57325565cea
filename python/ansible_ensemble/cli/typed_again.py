"""The options that a user types again with the next command, as far as they matter to it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ansible_ensemble.ensembles.options import OPTIONS

#: Options that only show more, or would have a command do again what the last one has done -> those that need them.
_ONCE = {"force": ("undeploy",), "replace": (), "diff": (), "check": ()}
#: Asks for passwords, and the option that does it.
_ASKS = {"ask_vault_pass": "--ask-vault-pass", "ask_pass": "--ask-pass", "ask_become_pass": "--ask-become-pass"}


def typed_again(arguments: argparse.Namespace, command: str) -> list[str]:
    """The options that the user gave and a command takes; values that may be secrets are left to the user.

    Files are named again. Of a value that was typed there is its name alone: what is printed may end in a log.
    """
    return list(_words(arguments, command))


def _words(arguments: argparse.Namespace, command: str) -> Iterator[str]:
    from ansible_ensemble.cli.values import variables_of

    for one in sorted(OPTIONS, key=lambda one: one.name != "inventory"):
        taken = command in one.commands and one.flags and command in _ONCE.get(one.name, (command,))
        if not taken or not hasattr(arguments, one.name):
            continue
        value = getattr(arguments, one.name)
        if one.kind == "bool":
            yield one.flags[0]
            continue
        for text in value if isinstance(value, list) else [value]:
            yield from (one.flags[0], f"{text:g}" if isinstance(text, float) else str(text))
    for file in getattr(arguments, "input_files", ()):
        yield from ("--inputs", file)
    for text in getattr(arguments, "input", ()):
        yield from ("--input", f"{text.partition('=')[0]}=...")
    for text in getattr(arguments, "extra_vars", ()):
        for word in [text] if text.startswith("@") else [f"{name}=..." for name in variables_of([text], [])]:
            yield from ("-e", word)
    for name, _value in getattr(arguments, "var", ()):
        yield from ("-e", f"{name}=...")
    yield from getattr(arguments, "ansible", ())
    yield from (option for name, option in _ASKS.items() if getattr(arguments, name, False))
