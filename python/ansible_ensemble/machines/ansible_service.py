"""What the process that has Ansible does for the one that has none: it answers until nobody is left to ask."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import Host, ModuleCall, Outcome, Play
from ansible_ensemble.core.regex import regex
from ansible_ensemble.lanes import core, frames, outcomes
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes, OnDisplay
from ansible_ensemble.lanes.host_variables import HostVariables
from ansible_ensemble.lanes.session import AnsibleSession

_UNUSUAL = regex(r"[^\w.-]")
_HINT = "write a list of tasks, or a list of plays, each with hosts: all"


@contextmanager
def written(session: AnsibleSession, name: str, content: str) -> Iterator[tuple[str, str]]:
    """Have the content in a file that only its owner can read; gives the kind of play that it is, and its path."""
    with TemporaryDirectory(prefix="ansible-ensemble-") as folder:
        path = Path(folder) / f"{_UNUSUAL.sub('_', name.removesuffix('.yml'))}.yml"
        path.write_text(content, encoding="utf-8", errors="surrogateescape")
        yield kind_of(session.loader.load_from_file(str(path), cache="none"), name), str(path)


def kind_of(data: Any, name: str) -> str:
    """`playbook` for a list of plays, `tasks` for one of tasks."""
    if not isinstance(data, list) or not data or not all(isinstance(item, dict) for item in data):
        raise InvalidInput(f"{name} is neither a list of tasks nor one of plays", hint=_HINT)
    plays = [_is_play(item) for item in data]
    if any(plays) and not all(plays):
        raise InvalidInput(f"{name} mixes plays and tasks", hint=_HINT)
    return "playbook" if all(plays) else "tasks"


def _is_play(item: dict[str, Any]) -> bool:
    return "hosts" in item or any(key.rpartition(".")[2] == "import_playbook" for key in item)


#: What may take long: it gets executors of its own, so that no script waits for it.
_SLOW = frozenset({"ansible.builtin.reboot"})
#: Of a banner, as Ansible prints it where there is no terminal.
_WIDTH, _LEAST_STARS = 79, 3


class AnsibleService:
    """Answers questions, several at once.

    Args:
        make_session: reads the inventory, when the first question comes.
        executors: how many plays and reboots run at once.
    """

    def __init__(self, make_session: Callable[[], AnsibleSession], executors: int) -> None:
        self._make_session = make_session
        self._executors = executors

    @cached_property
    def _session(self) -> AnsibleSession:
        session = self._make_session()
        session.add_plugins([Path(__file__).parent])
        return session

    @cached_property
    def _slow(self) -> AnsibleLanes:
        return self._open(self._executors)

    @cached_property
    def _quick(self) -> AnsibleLanes:
        # they run no modules, and the processors are what they wait for
        return self._open(min(self._executors, 2 * (os.cpu_count() or 1) + 2), fast=False)

    def _open(self, executors: int, **options: Any) -> AnsibleLanes:
        return AnsibleLanes(self._session, executors=executors, on_display=_unheard, **options)

    async def close(self) -> None:
        """End what still runs; the quick ones first: they may hold, as forks, what a zygote of the others waits for."""
        for name in ("_quick", "_slow"):
            if lanes := vars(self).get(name):
                await lanes.close()

    async def answer(self, question: dict[str, Any], tell: Callable[[str], None]) -> dict[str, Any]:
        """The answer to a question; `tell` gets what is displayed meanwhile."""
        asked = question.pop("ask")
        if asked == "hosts":
            return {"hosts": self._hosts(**question)}
        if asked == "variable":
            return {"value": self._variable(**question)}
        display = partial(_relay, tell)
        outcome = await (self._play(display, **question) if asked == "play" else self._call(display, **question))
        return {"outcome": outcomes.to_message(outcome)}

    def _hosts(self, pattern: str) -> list[str]:
        found = [str(host.name) for host in self._session.inventory.get_hosts(pattern)]
        if not found:
            raise EnsembleError(f"No host of the inventory matches {pattern}", hint="see ansible-inventory --list")
        return found

    def _variable(self, host: str, name: str) -> Any:
        variables = HostVariables(self._session)
        return core.jsonable(variables.value(host, name)) if name in variables.names(host) else None

    async def _call(self, display: OnDisplay, module: str, args: dict[str, Any], host: str) -> Outcome:
        lanes = self._slow if module in _SLOW else self._quick
        return await lanes.run(ModuleCall(module, args, Host(host)), display)

    async def _play(self, display: OnDisplay, name: str, content: str, host: dict[str, Any], check: bool) -> Outcome:
        from ansible.errors import AnsibleError

        try:
            with written(self._session, name, content) as (kind, path):
                order = Play(kind, path, Host(**host), keywords={"name": name}, check=check, diff=True, displayed=True)
                return await self._slow.run(order, display)
        except (InvalidInput, AnsibleError) as error:
            return outcomes.failure(core.describe(error) if isinstance(error, AnsibleError) else str(error))


def serve(connection: socket.socket, service: AnsibleService) -> None:
    """Answer until the other side is gone."""
    asyncio.run(_converse(connection, service))


async def _converse(connection: socket.socket, service: AnsibleService) -> None:
    reader, writer = await asyncio.open_connection(sock=connection)
    running: dict[int, asyncio.Task[None]] = {}

    async def reply(number: int, question: dict[str, Any]) -> None:
        try:
            answer = await service.answer(
                question, lambda text: writer.write(frames.encode({"of": number, "text": text}))
            )
        except asyncio.CancelledError:
            answer = {"cancelled": True}
        except EnsembleError as error:
            answer = {"error": str(error)}
        except Exception as error:
            answer = {"error": core.describe(error)}
        del running[number]
        writer.write(frames.encode({"of": number, **answer}))

    while (message := await frames.read(reader)) is not None:
        number = message.pop("number")
        if "ask" in message:
            running[number] = asyncio.create_task(reply(number, message))
        elif number in running:
            running[number].cancel()
    for task in running.values():
        task.cancel()
    with contextlib.suppress(ConnectionError):
        await service.close()


def _relay(tell: Callable[[str], None], method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if method == "banner":
        tell(f"\n{args[0]} {'*' * max(_LEAST_STARS, _WIDTH - len(args[0]))}")
    elif method == "display" and not kwargs.get("log_only"):
        tell(str(args[0]))


def _unheard(method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """What belongs to no order."""
