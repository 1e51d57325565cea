"""Plugins: programs that extend a server by actions, and hear what happens on it."""

from __future__ import annotations

import shutil
import signal
import time
import urllib.error
from pathlib import Path
from typing import Any

import pytest

from tests.integration.provision.served import PATIENCE, Served

PROVIDER = Path(__file__).with_name("plugin_provider.py")
PASSWORD = "s3cret-of-the-plugin"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the providers are; one of the programs is none."""
    made = tmp_path / "plugins"
    made.mkdir()
    shutil.copy(PROVIDER, made / "counter")
    (made / "broken").write_text("#!/bin/sh\necho no provider; exit 1\n")
    (made / "broken").chmod(0o755)
    (made / "README").write_text("no program")
    return made


def plugin(server: Served, name: str = "mine", **params: Any) -> Any:
    until(server, lambda: server.status("GET", "/plugin_providers/counter") == 0)
    given = {"counter/password": PASSWORD, **params}
    made = server("POST", "/plugins", {"Name": name, "Provider": "counter", "Params": given})
    assert made["Available"], made["Errors"]
    return made


def until(server: Served, holds: Any) -> Any:
    """Wait until something holds; it."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end, server.log
        time.sleep(0.05)
    return found


def running(server: Served, name: str = "mine") -> None:
    until(server, lambda: server.log.count(f"plugin {name} runs"))


def machine(server: Served, **fields: Any) -> str:
    return server("POST", "/machines", {"Name": "m1", **fields})["Uuid"]


def refusal(server: Served, method: str, path: str, body: Any = None) -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as refused:
        server(method, path, body)
    return refused.value.code, refused.value.read().decode()


def test_a_provider_describes_itself_and_brings_content(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    until(server, lambda: server.status("GET", "/plugin_providers/counter") == 0)
    [provider] = server("GET", "/plugin_providers")
    assert (provider["Version"], provider["RequiredParams"]) == ("v1.2.3", ["counter/password"])
    assert {one["Provider"] for one in provider["AvailableActions"]} == {"counter"}
    assert server("GET", "/params/counter/password")["Bundle"] == "counter"
    until(server, lambda: "the plugin provider broken is left out: broken exited with status 1" in server.log)
    for method, path in (("POST", "/plugin_providers"), ("DELETE", "/plugin_providers/counter")):
        assert server.status(method, path, {"Name": "other"}) in (403, 405)
    assert server.stop() == 0


def test_a_plugin_needs_a_provider_and_its_params(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    until(server, lambda: server.status("GET", "/plugin_providers/counter") == 0)
    lacking = server("POST", "/plugins", {"Name": "mine", "Provider": "counter"})
    assert lacking["Errors"] == ["Missing required parameter counter/password"]
    foreign = server("POST", "/plugins", {"Name": "other", "Provider": "nobody"})
    assert foreign["Errors"] == ["Plugin provider nobody does not exist"]
    status, text = refusal(server, "POST", "/plugins", {"Name": "third"})
    assert (status, "Invalid Provider" in text) == (422, True)
    status, text = refusal(server, "POST", "/plugins/mine/params/counter/step", "many")
    assert (status, "counter/step" in text) == (422, True)
    server("POST", "/plugins/mine/params/counter/password", PASSWORD)
    running(server)
    assert PASSWORD not in str(server("GET", "/plugins/mine"))
    assert server("GET", "/plugins/mine/params/counter/password?decode=true") == PASSWORD
    assert "Secret" not in server("GET", "/plugins/mine") or not server("GET", "/plugins/mine")["Secret"]


def test_actions_of_a_plugin_are_those_of_objects(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    uuid = machine(server)
    listed = {one["Command"] for one in server("GET", f"/machines/{uuid}/actions")}
    assert listed == {"increment", "login"}
    assert server("GET", f"/machines/{uuid}/actions?plugin=nobody") == []
    assert server("GET", f"/machines/{uuid}/actions/increment")["RequiredParams"] == ["counter/step"]
    status, text = refusal(server, "POST", f"/machines/{uuid}/actions/increment", {})
    assert (status, "Missing required parameter counter/step" in text) == (422, True)
    answer = server("POST", f"/machines/{uuid}/actions/increment", {"counter/step": 2})
    assert answer == {"plugin": "mine", "machine": "m1", "count": 2}
    assert server("POST", "/plugins/mine/actions/heard", {}) != []
    assert server.status("POST", f"/machines/{uuid}/actions/heard", {}) == 404


@pytest.mark.parametrize("entry", ["action:increment", "action:counter:increment", "action:mine:increment"])
def test_entries_of_task_lists_run_them(serve, folder, entry):
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    uuid = machine(server, Tasks=[entry], Params={"counter/step": 5})
    job = server("POST", "/jobs", {"Machine": uuid})
    assert (job["Task"], job["State"]) == (entry, "finished")


def test_nothing_of_a_secret_is_in_the_log_or_an_answer(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    until(server, lambda: "Received Config request" in server.log)
    uuid = machine(server)
    server("POST", f"/machines/{uuid}/params/counter/password", "of-the-machine")
    status, text = refusal(server, "POST", f"/machines/{uuid}/actions/login", {})
    assert (status, "no login by <<REDACTED>>" in text) == (422, True)
    until(server, lambda: "plugin mine: no login by <<REDACTED>>" in server.log)
    refused = plugin(server, "refused", **{"counter/password": "refuse me"})
    until(server, lambda: server("GET", f"/plugins/{refused['Name']}")["PluginErrors"] == ["no login by <<REDACTED>>"])
    shown = server.log
    assert not any(secret in shown for secret in (PASSWORD, "of-the-machine", "refuse me"))
    assert "as <<REDACTED>>" in shown


def test_a_plugin_hears_of_events_and_tells_some(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    uuid = machine(server)
    until(server, lambda: ["machines", "create", uuid] in server("POST", "/plugins/mine/actions/heard", {}))
    server("POST", f"/machines/{uuid}/actions/increment", {"counter/step": 1})
    until(server, lambda: ["counter", "counted", "m1"] in server("POST", "/plugins/mine/actions/heard", {}))


def test_a_plugin_does_not_outlive_a_server_that_is_killed(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    process = Path("/proc", str(server("POST", "/plugins/mine/actions/process", {})), "cmdline")
    assert process.read_text()
    server.stop(signal.SIGKILL)
    until(server, lambda: not process.exists() or not process.read_text())  # a dead one that nobody waits for has none


@pytest.mark.parametrize("slowly", [False, True], ids=["dies", "hangs"])
def test_a_plugin_that_ends_is_told_and_started_again(serve, folder, slowly):
    quick = "from ansible_ensemble.provision.server import plugin_process; plugin_process._ACTION = 1"
    server = serve("--default-user", "--plugins", str(folder), before=quick)
    plugin(server)
    running(server)
    status, text = refusal(server, "POST", "/plugins/mine/actions/die", {"slowly": slowly})
    assert (status, ("action took longer than 1 seconds" if slowly else "has gone") in text) == (422, True)
    why = "action took longer" if slowly else "it exited with status 3: dying of <<REDACTED>>"
    until(server, lambda: f"plugin mine: {why}" in server.log)
    until(server, lambda: server.log.count("plugin mine runs") == 2)
    until(server, lambda: server("GET", "/plugins/mine")["PluginErrors"] == [])
    assert server("GET", "/plugins/mine/actions")


def test_a_plugin_that_cannot_be_started_is_told_and_tried_again(serve, folder, tmp_path):
    far = tmp_path / ("far" * 40)
    far.mkdir()
    server = serve(
        "--default-user", "--plugins", str(folder), before=f"import tempfile; tempfile.tempdir = {str(far)!r}"
    )
    plugin(server)
    why = "it cannot be started: AF_UNIX path too long"
    until(server, lambda: server.log.count(f"plugin mine: {why}; it is started again in ") == 2)
    assert server("GET", "/plugins/mine")["PluginErrors"] == [why]
    assert list(far.iterdir()) == []


def test_a_plugin_ends_with_its_change_its_removal_and_the_server(serve, folder):
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    server("POST", "/plugins/mine/params/counter/step", 7)
    until(server, lambda: server.log.count("plugin mine runs") == 2)
    assert server.log.count("plugin mine: it stops") == 1
    server("DELETE", "/plugins/mine")
    until(server, lambda: server.log.count("plugin mine: it stops") == 2)
    uuid = machine(server)
    until(server, lambda: server("GET", f"/machines/{uuid}/actions") == [])
    plugin(server)
    until(server, lambda: server.log.count("plugin mine runs") == 3)
    assert server.stop() == 0
    assert server.log.count("plugin mine: it stops") == 3
    again = serve("--default-user", folder=server.folder)
    until(again, lambda: again("GET", "/plugins/mine")["Errors"] == ["Plugin provider counter does not exist"])
    assert not again("GET", "/plugins/mine")["Available"]


def test_the_token_of_a_plugin_is_its_own(serve, folder, tmp_path):
    told = tmp_path / "told"
    text = (folder / "counter").read_text().replace("def config(self, params):", f"""def config(self, params):
        open({str(told)!r}, "w").write(os.environ["RS_ENDPOINT"] + " " + os.environ["RS_TOKEN"])""")  # fmt: skip
    (folder / "counter").write_text(text)
    server = serve("--default-user", "--plugins", str(folder))
    plugin(server)
    running(server)
    endpoint, token = told.read_text().split()
    assert endpoint == server.base
    assert server("GET", "/users", token=token)
    server("DELETE", "/plugins/mine")
    assert server.status("GET", "/users", token=token) == 403
