"""Actions as the operator of a server declares them: what carries them out, and for whom."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.plugin import AvailableAction
from ansible_ensemble.provision.service.actions import Action, Invocation
from ansible_ensemble.provision.service.commands import run_command
from ansible_ensemble.provision.service.playbooks import run_playbook, run_role


class DeclaredAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An action, with one of a command, a playbook and a role that carries it out.

    Attributes:
        name: of the action, as in `nextbootpxe` and `poweron`.
        run: a program and its arguments; no shell reads them.
        playbook: a playbook's file, from the folder of the declarations.
        role: a role's name, as a playbook has it; it may lie in `roles` of the folder of the declarations.
        provider: whom task lists may name, as in `action:PROVIDER:NAME`.
        provider_param: a param of the object; the action is only for objects that have the provider's name there.
        model: the kind of objects that it is for.
        required_params: what it has to get.
        optional_params: what it gets if it is known.
        seconds: how long it may take.
    """

    name: str
    run: list[str] = msgspec.field(default_factory=list)
    playbook: str = ""
    role: str = ""
    provider: str = "commands"
    provider_param: str = ""
    model: str = "machines"
    required_params: list[str] = msgspec.field(default_factory=list)
    optional_params: list[str] = msgspec.field(default_factory=list)
    seconds: float = 60


def declared_actions(declared: Any, base: Path) -> tuple[Action, ...]:
    """The actions of a list of declarations, as a document has it.

    Args:
        declared: the list.
        base: folder of the document; paths of playbooks start there.
    """
    try:
        actions = msgspec.convert(declared, list[DeclaredAction])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"actions: {error}") from None
    for index, one in enumerate(actions):
        if problem := _problem(one, base):
            raise InvalidInput(f"actions: $[{index}] {problem}")
    for twice, times in Counter((one.model, one.provider, one.name) for one in actions).items():
        if times > 1:
            raise InvalidInput(f"actions: {':'.join(twice)} is declared {times} times")
    return tuple(_action(one, base) for one in actions)


def _problem(one: DeclaredAction, base: Path) -> str:
    if not one.name or sum(map(bool, (one.run, one.playbook, one.role))) != 1:
        return "needs a name, and one of run, playbook and role"
    if one.model not in KINDS:
        return f"is for {one.model}, which are no objects"
    if one.model != Machine.PREFIX and not one.run:
        return "is for machines alone: what is for other objects is a command"
    if one.playbook and not (base / one.playbook).is_file():
        return f"has the playbook {one.playbook}, which is no file in {base}"
    return "" if one.seconds > 0 else "has no time"


def _action(declared: DeclaredAction, base: Path) -> Action:
    about = AvailableAction(
        provider=declared.provider,
        command=declared.name,
        model=declared.model,
        required_params=declared.required_params,
        optional_params=declared.optional_params,
    )
    return Action(about, _carrier(declared, base), declared.provider_param)


def _carrier(declared: DeclaredAction, base: Path) -> Callable[[Invocation], Awaitable[Any]]:
    def run(asked: Invocation) -> Any:
        target, params, seconds = asked.target, asked.params, declared.seconds
        if declared.playbook:
            return run_playbook(base / declared.playbook, seconds, target, params)
        if declared.role:
            return run_role(declared.role, base, seconds, target, params)
        return run_command(declared.run, seconds, {"object": target, "params": params})

    return lambda asked: asyncio.to_thread(run, asked)
