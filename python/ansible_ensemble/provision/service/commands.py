"""Actions that are commands of the server's host, as its operator declares them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Any

import msgspec

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.objects.codec import Undecodable, decode_json, encode
from ansible_ensemble.provision.service.actions import Action, ActionFailed, AvailableAction


class DeclaredCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that is offered as an action.

    Attributes:
        name: of the action, as in `nextbootpxe` and `poweron`.
        run: the program and its arguments; no shell reads them.
        provider: whom task lists may name, as in `action:PROVIDER:NAME`.
        model: the kind of objects that it is for.
        required_params: what the command has to get.
        optional_params: what it gets if it is known.
        seconds: how long it may take.
    """

    name: str
    run: list[str]
    provider: str = "commands"
    model: str = "machines"
    required_params: list[str] = msgspec.field(default_factory=list)
    optional_params: list[str] = msgspec.field(default_factory=list)
    seconds: float = 60


def declared_actions(declared: Any) -> tuple[Action, ...]:
    """The actions of a list of declared commands, as a document has it.

    Raises:
        InvalidInput: it is no such list; the message says where.
    """
    try:
        commands = msgspec.convert(declared, list[DeclaredCommand])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"actions: {error}") from None
    if nameless := [index for index, one in enumerate(commands) if not (one.name and one.run)]:
        raise InvalidInput(f"actions: $[{nameless[0]}] needs a name and what to run")
    return tuple(map(_action, commands))


def _action(declared: DeclaredCommand) -> Action:
    def run(target: Any, params: Mapping[str, Any]) -> Any:
        return _result(declared, {"object": target, "params": params})

    about = AvailableAction(
        provider=declared.provider,
        command=declared.name,
        model=declared.model,
        required_params=declared.required_params,
        optional_params=declared.optional_params,
    )
    return Action(about, run)


def _result(declared: DeclaredCommand, asked: Any) -> Any:
    """What the command prints: JSON, or else its text; it gets the object and the params as JSON on its input."""
    try:
        done = subprocess.run(
            declared.run, input=encode(asked), capture_output=True, timeout=declared.seconds, check=False
        )
    except OSError as error:
        raise ActionFailed(f"{declared.run[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ActionFailed(f"{declared.run[0]} took longer than {declared.seconds:g} seconds") from None
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise ActionFailed(f"{declared.run[0]} exited with status {done.returncode}\n{said}".rstrip())
    try:
        return decode_json(done.stdout)
    except Undecodable:
        return done.stdout.decode(errors="replace").strip()
