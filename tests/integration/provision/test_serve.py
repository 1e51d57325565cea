"""The server of machines as a process: its first start, its end, and several of them."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import aiohttp
import pytest

from tests.integration.provision.lasting import free_port
from tests.integration.provision.served import COMMAND, PATIENCE


def test_the_first_start_says_a_password_once_and_keeps_secrets_for_its_owner(serve):
    first = serve()
    assert first("GET", "/users/rocketskates")["PasswordHash"] == ""
    password = first.password
    assert password != "r0cketsk8ts"
    token = first("GET", "/users/rocketskates/token")["Token"]
    assert {oct(file.stat().st_mode & 0o777) for file in first.data.rglob("*") if file.is_file()} == {"0o600"}
    assert first.stop() == 0
    certificate = (first.data / "tls" / "server.crt").read_bytes()
    assert password not in first.log

    again = serve()
    assert not any("password" in line for line in again.said)
    again.password = password
    assert again("GET", "/users/rocketskates", token=token)["Name"] == "rocketskates"
    assert again.status("GET", "/info", token=token[:-2]) in (401, 403)
    assert (again.data / "tls" / "server.crt").read_bytes() == certificate
    assert again.stop(signal.SIGINT) == 0


def test_the_first_password_goes_into_a_file_if_that_is_wanted(serve, tmp_path):
    file = tmp_path / "password"
    first = serve("--password-file", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    assert not any("password" in line for line in first.said)
    first.password = file.read_text().strip()
    assert first("GET", "/info")["id"]
    assert first.password not in first.log
    assert first.stop() == 0
    file.write_text("kept")
    again = serve("--password-file", str(file))
    assert file.read_text() == "kept"
    assert again.stop() == 0
    (tmp_path / "other").mkdir()
    with pytest.raises(AssertionError, match=r"cannot write the first password to .*/none/password: No such file"):
        serve("--password-file", str(tmp_path / "none" / "password"), folder=tmp_path / "other")


def test_the_password_that_everybody_knows_comes_with_a_warning(serve):
    server = serve("--default-user")
    assert server.said[:2] == ["The password of the user rocketskates is r0cketsk8ts", "Everybody knows it: change it."]
    assert server("GET", "/info")["id"]


def test_a_lost_password_is_replaced_when_the_server_is_down(serve, tmp_path):
    server = serve("--default-user")
    reset = [sys.executable, "-c", COMMAND, "provision", "password", "--data", str(server.data)]
    busy = subprocess.run(reset, capture_output=True, text=True, timeout=PATIENCE)
    assert busy.returncode == 1
    assert "in use by another process" in busy.stderr
    server.stop()
    done = subprocess.run(reset, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    again = serve()
    assert again.status("GET", "/info") == 403
    again.password = done.stdout.split()[-1]
    assert again.status("GET", "/info") == 0


def test_a_backup_goes_into_another_store(serve, tmp_path):
    words = [sys.executable, "-c", COMMAND, "provision"]
    server = serve("--default-user")
    made = server("POST", "/machines", {"Name": "kept"})
    token = server("GET", f"/machines/{made['Uuid']}/token?ttl=3y")["Token"]
    file, other = str(tmp_path / "backup"), tmp_path / "other"
    other.mkdir()
    saved = subprocess.run([*words, "backup", file, "--data", str(server.data)], timeout=PATIENCE)
    assert saved.returncode == 0
    for force, code in (([], 0), ([], 1), (["--force"], 0)):
        restore = [*words, "restore", file, "--data", str(other / "data"), *force]
        assert subprocess.run(restore, timeout=PATIENCE).returncode == code
    again = serve(folder=other)
    assert again("GET", "/machines/Name:kept", token=token) == server("GET", "/machines/Name:kept")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [(["--database", "mysql://x"], 3, "mysql is no database"), (["--cert", "/nowhere"], 3, "give both --cert and"),
     (["--cert", "/nowhere", "--key", "/nowhere"], 3, "cannot be read"), (["--config", "/nowhere"], 3, "be read"),
     (["--host", "192.0.2.1"], 1, "cannot listen"), (["--port", "x"], 2, "not a number"),
     (["--actions", "/nowhere"], 3, "be read"), (["--actions", __file__], 3, "be read"),
     (["--log-level", "all"], 2, "invalid choice"), (["--database", "/dev/null/x"], 1, "cannot open")],
)  # fmt: skip
def test_what_cannot_be_is_said_in_one_line(tmp_path, options, code, message):
    words = [sys.executable, "-c", COMMAND, "provision"]
    run = [*words, "serve", "--host", "127.0.0.1", "--port", "1", "--data", str(tmp_path / "data"), *options]
    done = subprocess.run(run, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_log_can_be_asked_for_and_its_levels_set(serve):
    server = serve("--default-user")
    lines = server("GET", "/logs")
    assert [(line["Service"], line["Level"], line["Message"]) for line in lines] == [
        ("frontend", "info", "the server is ready")
    ]
    server("POST", "/users", {"Name": "anna"})
    server("PUT", "/users/anna/password", {"Password": "secret"})
    token = server("GET", "/users/anna/token")["Token"]
    assert server.status("GET", "/logs", token=token) == 403
    server("POST", "/prefs", {"logLevel": "error"})
    assert server.stop() == 0
    assert "the server stops" not in server.log


def test_commands_that_the_operator_declares_are_actions_of_machines(serve, tmp_path):
    file = tmp_path / "actions.yaml"
    file.write_text("- {name: poweron, run: [echo, it is on]}\n")
    server = serve("--default-user", "--actions", str(file))
    server("POST", "/machines", {"Name": "m1"})
    assert [one["Command"] for one in server("GET", "/machines/Name:m1/actions")] == ["poweron"]
    assert server("POST", "/machines/Name:m1/actions/poweron", {}) == "it is on"
    machine = server("PATCH", "/machines/Name:m1", [{"op": "replace", "path": "/Tasks", "value": ["action:poweron"]}])
    job = server("POST", "/jobs", {"Machine": machine["Uuid"]})
    assert (job["Task"], job["State"]) == ("action:poweron", "finished")


def test_files_are_loaded_without_tls_where_that_is_wanted(serve):
    port = free_port()
    server = serve("--file-port", str(port))
    (server.data / "files").mkdir()
    (server.data / "files" / "tool").write_bytes(b"a tool")
    info = server("GET", "/info")
    assert (info["file_port"], info["prov_enabled"]) == (port, True)
    assert loaded(f"http://127.0.0.1:{port}/files/tool") == (200, b"a tool")
    assert loaded(f"http://127.0.0.1:{port}/files/none")[0] == 404
    assert loaded(f"http://127.0.0.1:{port}/api/v3/info")[0] == 404
    assert loaded(f"http://127.0.0.1:{port}/healthz")[0] == 404
    assert server.stop() == 0


def test_what_an_upload_left_in_a_killed_server_is_removed(serve, tmp_path):
    left = tmp_path / "kept" / "data" / "uploads" / "tmp1"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    serve(folder=tmp_path / "kept")
    assert not left.exists()


def loaded(url):
    """The status and body of what anybody loads."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_what_was_begun_is_finished_before_the_end(serve):
    server = serve("--default-user")
    token = server("GET", "/users/rocketskates/token")["Token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    async def scenario():
        ssl = server.context()
        async with aiohttp.ClientSession(headers=headers) as session:

            async def upload():
                yield b'{"Name": "slow", '
                async with session.get(f"{server.base}/healthz", ssl=ssl):
                    pass  # by now the server reads the request
                server.process.send_signal(signal.SIGTERM)
                await closed
                yield b'"Description": "finished"}'

            async with session.ws_connect(f"{server.base}/api/v3/ws", ssl=ssl) as events:
                closed = asyncio.ensure_future(events.receive())
                async with session.post(f"{server.base}/api/v3/stages", data=upload(), ssl=ssl) as answer:
                    return answer.status, await answer.json(), await closed

    status, made, goodbye = asyncio.run(asyncio.wait_for(scenario(), PATIENCE))
    assert (status, made["Description"]) == (201, "finished")
    assert (goodbye.type, goodbye.data) == (aiohttp.WSMsgType.CLOSE, 1001)
    assert server.process.wait(PATIENCE) == 0
    assert serve()("GET", "/stages/slow", token=token)["Description"] == "finished"


def test_listens_at_a_socket_that_it_is_given(serve):
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        opened.listen()
        address = f"https://127.0.0.1:{opened.getsockname()[1]}"

        given = "import os; os.dup2({0}, 3); os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')"
        number = opened.fileno()
        server = serve("--default-user", before=given.format(number), pass_fds=(number,))
        assert server.base == address
        assert server("GET", "/info")["id"]


def test_a_failed_job_is_tried_again_also_by_the_next_process(serve):
    server = serve("--default-user")
    server("POST", "/tasks", {"Name": "flaky"})
    server("POST", "/stages", {"Name": "only", "Tasks": ["flaky"]})
    machine = server("POST", "/machines", {"Name": "m1", "Stage": "only", "Params": {"task-retry": {"flaky": 1}}})
    path = f"/machines/{machine['Uuid']}"
    job = server("POST", "/jobs", {"Machine": machine["Uuid"]})
    server("PATCH", f"/jobs/{job['Uuid']}", [{"op": "replace", "path": "/State", "value": "failed"}])
    assert server("GET", path)["Runnable"] is False
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    again = serve()
    asyncio.run(again.until(path, "Runnable", True))
    assert again("GET", path)["RetryTaskAttempt"] == 1


def test_several_servers_on_one_database(serve, postgres, tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one = serve("--database", postgres, "--default-user", folder=tmp_path / "one")
    other = serve("--database", postgres, folder=tmp_path / "other")
    token = one("GET", "/users/rocketskates/token")["Token"]
    made = other("POST", "/machines", {"Name": "shared"}, token)
    assert one("GET", "/machines/Name:shared", token=token) == made

    async def scenario():
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.ws_connect(f"{one.base}/api/v3/ws", ssl=one.context()) as events,
        ):
            await events.send_str(f"register machines.*.{made['Uuid']}")
            assert json.loads((await events.receive()).data)["Action"] == "register"
            patch = [{"op": "replace", "path": "/Description", "value": "by the other"}]
            await asyncio.to_thread(other, "PATCH", f"/machines/{made['Uuid']}", patch, token)
            return json.loads((await events.receive()).data)

    event = asyncio.run(asyncio.wait_for(scenario(), PATIENCE))
    assert (event["Action"], event["Object"]["Description"]) == ("update", "by the other")
    assert postgres.partition("@")[0] not in one.log + other.log
    assert (one.stop(), other.stop()) == (0, 0)


def test_what_senders_break_off_or_garble_is_not_in_the_log(serve):
    server = serve("--default-user")
    token = server("GET", "/users/rocketskates/token")["Token"]
    host, port = server.base.removeprefix("https://").split(":")
    for broken in ("Content-Length: 100\r\n\r\n{", "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"):
        head = f"POST /api/v3/stages HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        with (
            socket.create_connection((host, int(port))) as opened,
            server.context().wrap_socket(opened, server_hostname=host) as secured,
        ):
            secured.sendall(f"{head}Content-Type: application/json\r\n{broken}".encode())
            assert server("GET", "/info", token=token)["id"]
    assert server.stop() == 0
    assert "ERROR" not in server.log
