"""Ansible as an action of a job: its tasks run by the lanes, what they display is the output."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import Redactor, Sensitive, reveal
from ansible_ensemble.core.texts import cut
from ansible_ensemble.machines.ansible_process import AnsibleProcess
from ansible_ensemble.provision.agent.host import Output, Playbook, Played

#: What `set_stats` calls the exit status.
EXIT_STATUS = "exit_status"
#: The machine itself, and all params, by names that no variable may have as well.
MACHINE, PARAMS = "machine", "params"

#: Characters of an event that the output has.
_EVENT = 20_000
_VARIABLE = regex(r"[A-Za-z_]\w*", re.ASCII)


async def play(ansible: AnsibleProcess, host: Host, playbook: Playbook, output: Output) -> Played:
    """Run tasks or plays on a host.

    Args:
        ansible: what runs them.
        host: where.
        playbook: what, with variables of which the sensitive ones are masked in the output.
        output: takes events and diffs as Ansible's default callback prints them.
    """
    redactor = Redactor(_sensitive(playbook.variables))
    texts: asyncio.Queue[str | None] = asyncio.Queue()
    where = Host(host.name, {**variables_of(playbook.variables), **host.variables})
    playing = asyncio.create_task(
        ansible.play(where, playbook.name, playbook.content, playbook.check, texts.put_nowait)
    )
    playing.add_done_callback(lambda _value: texts.put_nowait(None))
    try:
        while (text := await texts.get()) is not None:
            await output(_shown(redactor, text))
        return await _played(await playing, playbook, redactor, output)
    finally:
        playing.cancel()
        await asyncio.wait([playing])


async def play_here(ansible: AnsibleProcess, playbook: Playbook, output: Output) -> Played:
    """Run tasks or plays on the machine itself, which needs no inventory for that; arguments as of `play`."""
    name = str(playbook.variables[MACHINE]["Name"])
    return await play(ansible, Host(name, {"ansible_connection": "local"}), playbook, output)


async def _played(outcome: Outcome, playbook: Playbook, redactor: Redactor, output: Output) -> Played:
    stats = {**outcome.result.get("stats", {}), **reveal(outcome.hidden).get("stats", {})}
    asked, named = stats.pop(EXIT_STATUS, 0), stats.pop(PARAMS, {})
    error = outcome.error if not outcome.ok else _problem_of(asked, named)
    if error:
        await output(_shown(redactor, f"{playbook.name} failed: {error}"))
    params = {**stats, **(named if isinstance(named, dict) else {})}
    return Played(1 if error else asked, {} if playbook.check else params)


def variables_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """What tasks see of params and of the machine.

    A param is a variable if its name can be one's. Params are no connection settings: those are the inventory's, and
    who may write a param of a machine is not to say where and as whom tasks run.
    """
    plain = {name: value for name, value in given.items() if _VARIABLE.fullmatch(name)}
    kept = {name: value for name, value in plain.items() if not name.startswith("ansible_")}
    return {**kept, PARAMS: {name: value for name, value in given.items() if name != MACHINE}}


def _problem_of(status: Any, params: Any) -> str:
    if not isinstance(status, int) or isinstance(status, bool) or not 0 <= status <= 255:
        return f"set_stats: {EXIT_STATUS} is no number from 0 to 255"
    return "" if isinstance(params, dict) else f"set_stats: {PARAMS} is no map of params"


def _sensitive(value: Any) -> list[Any]:
    """The values that are marked as sensitive, at whatever depth."""
    if isinstance(value, Sensitive):
        return [value]
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return [found for item in items for found in _sensitive(item)]


def _shown(redactor: Redactor, text: str) -> bytes:
    lines = cut(redactor.text(text), _EVENT).rstrip("\n")
    return f"{lines}\n".encode("utf-8", "replace")
