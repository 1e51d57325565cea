"""What is no control service, or answers otherwise than one, is named; nothing waits for ever."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.mesh import control
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.nodes import Node, look_around

BANNER = b"Receptor Control, node a\n"
A = {
    "NodeID": "a",
    "Version": "1.4.8",
    "SystemCPUCount": 4,
    "SystemMemoryMiB": 1000,
    "RoutingTable": {"b": "b"},
    "KnownConnectionCosts": {"a": {"b": 1.0}, "b": {"c": 1.0}},
    "Advertisements": [
        {"NodeID": "a", "Service": "control", "WorkCommands": None},
        {"NodeID": "b", "Service": "ensemble", "WorkCommands": [{"WorkType": "ansible-runner", "Secure": False}]},
    ],
}

Answer = Callable[[dict[str, Any]], bytes]


def line(document: object) -> bytes:
    return json.dumps(document).encode() + b"\n"


def nodes_of(path: Path, answers: list[Answer | bytes]) -> list[Node]:
    """The nodes that are found where a service greets, and answers each command in turn; bytes replace its greeting."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = answers.pop(0) if answers and isinstance(answers[0], bytes) else BANNER
        writer.write(greeting)
        while answers and (command := await reader.readline()):
            writer.write(answers.pop(0)(json.loads(command)))
        if greeting:
            writer.close()

    async def main() -> list[Node]:
        async with await asyncio.start_unix_server(serve, path):
            return await look_around(str(path))

    return asyncio.run(main())


def failing(run: Callable[[], object]) -> str:
    with pytest.raises(MeshError) as caught:
        run()
    return str(caught.value)


def test_nodes_are_known_by_routes_connections_and_services(tmp_path: Path) -> None:
    b = {"NodeID": "b", "SystemCPUCount": 2, "Advertisements": [{"NodeID": "b", "Service": "ensemble"}]}
    answers: list[Answer | bytes] = [
        lambda asked: line(A),
        lambda asked: b"Connecting\nReceptor Control, node b\n",
        lambda asked: line(b),
    ]
    assert nodes_of(tmp_path / "s", answers) == [
        Node("a", is_here=True, version="1.4.8", cpus=4, memory=1000, services=("control",)),
        Node("b", via="b", cpus=2, services=("ensemble",)),
        Node("c", is_reachable=False),
    ]


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([b"ERROR: no route to node\n"], "there is no way to b: 'no route to node'"),
        ([b"Connecting\nwelcome\n"], "b is no control service of Receptor: it says 'welcome'"),
        ([b"Connecting\n"], "b has hung up"),
        ([b"Connecting\nReceptor Control, node b\n", line({"NodeID": "c"})], "it answers as c"),
        (
            [b"Connecting\nReceptor Control, node b\n", line({"NodeID": "b", "Advertisements": 1})],
            "b answers no status",
        ),
    ],
)
def test_of_a_node_that_does_not_tell_what_others_know_is_shown(
    tmp_path: Path, answers: list[bytes], problem: str
) -> None:
    found = nodes_of(tmp_path / "s", [lambda asked: line(A), *(lambda asked, one=one: one for one in answers)])
    assert found[1].problem is not None
    assert found[1].problem.startswith(problem)
    assert (found[1].services, found[1].work_types, found[1].cpus) == (("ensemble",), ("ansible-runner",), None)


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([b"SSH-2.0-OpenSSH_9.2\r\n"], "is no control service of Receptor: it says 'SSH-2.0-OpenSSH_9.2'"),
        ([b"\xff\xfe\n"], "is no control service of Receptor"),
        ([b"\n"], "is no control service of Receptor: it says ''"),
        ([lambda asked: b"ERROR: Unknown command\n"], "answers no status"),
        ([lambda asked: b"[1]\n"], "answers no status"),
        ([lambda asked: b"{}\n"], "answers no status"),
        ([lambda asked: b""], "has hung up"),
    ],
)
def test_what_is_no_control_service_is_named(tmp_path: Path, answers: list[Answer | bytes], problem: str) -> None:
    path = tmp_path / "s"
    text = failing(lambda: nodes_of(path, answers))
    assert text.startswith(str(path))
    assert problem in text


def test_who_says_nothing_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "PATIENCE", 0.01)
    assert "has not answered within 0.01 s" in failing(lambda: nodes_of(tmp_path / "s", [b""]))


def test_a_socket_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "s"
    assert f"there is no socket {path}" in failing(lambda: asyncio.run(look_around(str(path))))


def test_a_file_that_is_no_socket(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.touch()
    assert f"nobody listens on {path}" in failing(lambda: asyncio.run(look_around(str(path))))


def test_a_path_that_is_too_long_for_a_socket(tmp_path: Path) -> None:
    path = tmp_path / ("s" * 200)
    assert "cannot be connected to: AF_UNIX path too long" in failing(lambda: asyncio.run(look_around(str(path))))


def test_a_socket_that_one_may_not_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*args: object, **options: object) -> Awaitable[None]:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(asyncio, "open_unix_connection", refuse)  # root may use any
    assert "you may not use the socket" in failing(lambda: asyncio.run(look_around(str(tmp_path / "s"))))
