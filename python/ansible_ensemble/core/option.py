"""How an option is declared: one field of a dataclass has its type, its default and its texts.

The command's parsers are made from these fields, and so is, by `make generate`, what Ansible wants written down.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field, fields
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

_Value = TypeVar("_Value")

#: Who decides an option of a saved plan's job: the plan; or the call that executes it, and the record has it;
#: or the call, and neither plans nor records have it.
PLAN, RUN, CALL = "plan", "run", "call"


class Option(Struct, frozen=True):
    """An option of a job.

    Attributes:
        help: what it does, as a sentence without its end; `word` is code.
        flags: how the command spells it; `--` is the words after it. Without any, no command takes it by its name.
        commands: the commands whose parsers get it; where there are none, it is added by hand.
        heading: what the command's help lists it under.
        metavar: what the command's help calls its value.
        choices: the values there are.
        flag_help: help of the command, where the flag says the opposite of the option.
        otherwise: what holds where it is not given.
        details: further sentences for Ansible's documentation.
        modules: the modules that take it; the role passes it to them.
        variable: its name in Ansible; that of a role's variable begins with `ensemble_`.
        alias: another name for the modules' option.
        decided: `PLAN`, `RUN` or `CALL`.
        name, kind, default: those of the field; `kind` is its type as it is written, without None.
    """

    help: str
    flags: tuple[str, ...] = ()
    commands: Collection[str] = ()
    heading: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    flag_help: str = ""
    otherwise: str = ""
    details: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    variable: str = ""
    alias: str = ""
    decided: str = PLAN
    name: str = ""
    kind: str = ""
    default: Any = None


def option(default: _Value, help_text: str, *flags: str, **said: Any) -> _Value:
    """Declare an option, as the value of a dataclass's field; `said` are further attributes of `Option`."""
    made: Any = partial(field, metadata={"option": Option(help_text, flags, default=default, **said)})
    made = made(default_factory=default.copy) if isinstance(default, list | dict) else made(default=default)
    declared: _Value = made
    return declared


def options_of(holder: type) -> list[Option]:
    """The options that a dataclass declares, in its order."""
    found = []
    for one in fields(holder):
        if "option" in one.metadata:
            declared: Option = one.metadata["option"]
            kind = str(one.type).removesuffix(" | None")
            found.append(replace(declared, name=one.name, kind=kind, variable=declared.variable or one.name))
    return found
