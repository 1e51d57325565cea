"""Agents of one process: one for each machine, with one client, until all have left or a signal ends them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.agent.agent import Agent
from ansible_ensemble.provision.agent.host import Host
from ansible_ensemble.provision.agent.known_tasks import KnownTasks
from ansible_ensemble.provision.agent.options import AgentOptions
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.watch import Watch
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.settings import Settings

#: Takes a line that the agent of a machine says.
Say = Callable[[str, str], None]

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def run_agents(
    settings: Settings, hosts: Mapping[str, Host], options: AgentOptions, say: Say, jobs: int = 0
) -> dict[str, int]:
    """Run an agent for each machine; their exit codes.

    The first signal has scripts ended and jobs given back; a second one ends without that. Of several agents, one that
    cannot begin keeps the others from nothing.

    Args:
        settings: of the server.
        hosts: where jobs are carried out, by machine: its UUID, or `Name:...`.
        options: of the agents.
        say: takes a machine, as named in `hosts`, and a line.
        jobs: how many jobs run at once; 0 for any number.
    """
    turn = asyncio.Semaphore(jobs or len(hosts))
    async with Client(settings) as client, Watch(client) as watch:
        tasks = KnownTasks(client)

        def agent(key: str, host: Host) -> Agent:
            now = Situation(client, watch, tasks, settings, host, options, lambda line: say(key, line), turn)
            return Agent(now, key)

        async def run(key: str, one: Agent) -> int:
            try:
                return await one.run()
            except EnsembleError as error:
                if len(hosts) == 1:
                    raise
                say(key, f"Error: {error}")
                return error.exit_code

        agents = {key: agent(key, host) for key, host in hosts.items()}
        working = [asyncio.create_task(run(key, one)) for key, one in agents.items()]
        _heed_signals(list(agents.values()), working)
        try:
            return dict(zip(agents, await asyncio.gather(*working)))
        finally:
            for one in working:  # if one of them failed
                one.cancel()
            await asyncio.gather(*working, return_exceptions=True)


def _heed_signals(agents: list[Agent], working: list[asyncio.Task[int]]) -> None:
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        for again in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(again, cut_short)
        for one in agents:
            one.stop(number)

    def cut_short() -> None:
        for one in working:
            one.cancel()

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as by nohup
            loop.add_signal_handler(number, stop, number)
