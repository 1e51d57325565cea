"""Plugins: how they are stopped, what is done where one cannot be started, and what nobody may read of them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ansible_ensemble.provision.server import backlog, plugins
from ansible_ensemble.provision.server.plugin_process import PluginFault, PluginProcess, Secrets
from ansible_ensemble.provision.server.plugins import Plugins

SETUP = SimpleNamespace(name="mine", provider=SimpleNamespace(name="counter", has_publish=False))


class Store:
    """A store without objects."""

    def subscribe(self, _hear):
        return lambda: None

    async def read(self, _find):
        return []

    async def transact(self, _change, _principal):
        return None


def started():
    return Plugins(SimpleNamespace(actions=(), store=Store()), [], "")


def test_a_plugin_that_stops_when_the_server_ends_is_waited_for():
    async def scenario():
        made, told, may_end = started(), [], asyncio.Event()

        async def runs():
            try:
                await asyncio.Event().wait()
            finally:
                told.append("it stops")
                await may_end.wait()
                told.append("it has stopped")

        task = asyncio.create_task(runs())
        await asyncio.sleep(0)
        made._running["mine"] = SETUP, task
        made._changed.set()  # the store has no such plugin
        while not told:
            await asyncio.sleep(0)
        ending = asyncio.create_task(made.end())
        for _turn in range(20):
            await asyncio.sleep(0)
        may_end.set()
        await ending
        return told

    assert asyncio.run(scenario()) == ["it stops", "it has stopped"]


def run(how):
    """A plugin whose first run ends in some way, until it runs again."""

    class Running(Plugins):
        runs = 0

        async def _run(self, _setup):
            self.runs += 1
            if self.runs == 1:
                return how()
            again.set()
            return await asyncio.Future()

    async def scenario():
        made = Running(SimpleNamespace(actions=(), store=Store()), [], "")
        await asyncio.sleep(0)  # the store, which has no plugins, is read
        made._running["mine"] = SETUP, asyncio.create_task(made._keep_running(SETUP))
        await asyncio.wait_for(again.wait(), 60)
        await made.end()

    again = asyncio.Event()
    asyncio.run(scenario())


def test_whatever_fails_is_told_and_tried_again(monkeypatch, caplog):
    def fail():
        raise ValueError("embedded null byte")

    caplog.set_level(logging.DEBUG, plugins.__name__)
    monkeypatch.setattr(plugins, "_FIRST_PAUSE", 0)
    run(fail)
    assert "plugin mine: it cannot be started: embedded null byte; it is started again" in caplog.text
    assert "Traceback" in caplog.text


def test_that_a_token_expires_is_no_error(caplog):
    caplog.set_level(logging.INFO, plugins.__name__)
    run(lambda: "")
    assert [(one.levelname, one.message) for one in caplog.records] == [
        ("INFO", "plugin mine: its token has expired; it is started again")
    ]


def program(tmp_path, text):
    made = tmp_path / "program"
    made.write_text(text)
    made.chmod(0o755)
    return made


def fault_of(program):
    """Why a program does not run."""

    async def scenario():
        process = PluginProcess("mine", program, Secrets(), None)
        try:
            await process.start({}, {})
        except PluginFault as fault:
            return str(fault)
        finally:
            await process.stop()
        return ""

    return asyncio.run(scenario())


def test_what_a_plugin_leaves_behind_is_ended(tmp_path):
    left = tmp_path / "left"
    fault = fault_of(program(tmp_path, f"#!/bin/sh\nsleep 3600 >/dev/null 2>&1 &\necho $! >{left}\nexit 3\n"))
    assert fault == "it exited with status 3"
    process, end = Path("/proc", left.read_text().strip(), "cmdline"), time.monotonic() + 60
    while process.exists() and process.read_text():  # a dead one that nobody waits for has none
        assert time.monotonic() < end


def test_a_program_that_is_none_is_told(tmp_path):
    assert fault_of(program(tmp_path, "no program")).endswith("it cannot be started: Exec format error")


def test_a_program_knows_the_signals_that_python_ignores(tmp_path):
    fault = fault_of(program(tmp_path, "#!/bin/sh\ngrep SigIgn /proc/self/status\nexit 3\n"))
    assert int(fault.rpartition("SigIgn:")[2], 16) & (1 << 12 | 1 << 24) == 0  # SIGPIPE and SIGXFSZ


SECRET = 'a<b>&"\u00e9c'
FORMS = {
    "as it is": SECRET,
    "as JSON": json.dumps(SECRET),
    "as JSON in UTF-8": json.dumps(SECRET, ensure_ascii=False),
    "as JSON by Go": '"a\\u003cb\\u003e\\u0026\\"\u00e9c"',
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_secret_is_hidden_however_it_is_written(form):
    secrets = Secrets()
    secrets.add([{"password": SECRET}, "i"])
    assert secrets.text(form).strip('"') == "<<REDACTED>>"


def test_few_bytes_of_events_wait_for_a_plugin(monkeypatch):
    monkeypatch.setattr(backlog, "MOST_BYTES", 100)

    async def scenario():
        waiting = backlog.Backlog()
        put = [waiting.put(b"x" * 60) for _ in range(3)]
        await waiting.get()
        return [*put, waiting.put(b"x")]

    assert asyncio.run(scenario()) == [True, True, False, True]
