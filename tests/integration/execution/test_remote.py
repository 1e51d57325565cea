"""The remote lane gives what the stock lane gives, call by call, also as another user."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from tests.integration.sshd import SSHD, Servers, serving

from .calls import CALLS, STOCK, Call
from .test_differential import differences, lane, plain

pytestmark = pytest.mark.skipif(SSHD is None, reason="sshd is not installed")
USERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "su": {
        "ansible_become": True,
        "ansible_become_method": "su",
        "ansible_become_user": "nobody",
        "ansible_become_flags": "-s /bin/sh",
    },
    "sudo": {"ansible_become": True, "ansible_become_method": "sudo", "ansible_become_user": "nobody"},
}
#: By core's own way each call as another user takes long, so these stand for the others, and none reads a terminal.
AS_OTHERS = {
    *("stat", "command that is missing", "command with stdin", "shell", "file makes a folder", "file in check mode"),
    *("copy of content", "copy of a change", "copy in check mode", "copy of a folder", "template", "lineinfile"),
    *("slurp", "fetch", "script", "unarchive", "no_log", "environment", "probe with a secret", "probe crash"),
    *("environment by name", "locale", "locale of a task", "umask, folder and limits", "what a umask makes"),
    *("template of a change", "file changes a mode", "user and groups", "probe tmpdir"),
}
SEEN: dict[str, list[Call]] = {
    user: CALLS if user == "plain" else [call for call in CALLS if call[0] in AS_OTHERS] for user in USERS
}
#: As another user each call has more to do, so `make test` has those by `su` alone.
MARKS: dict[str, list[pytest.MarkDecorator]] = {
    "plain": [pytest.mark.matrix],
    "su": [],
    "sudo": [pytest.mark.matrix, pytest.mark.skipif(shutil.which("sudo") is None, reason="sudo is not installed")],
}
WHO = [pytest.param(user, marks=marks) for user, marks in MARKS.items()]
CASES = [
    pytest.param(user, number, id=f"{user}-{call[0]}", marks=MARKS[user])
    for user, calls in SEEN.items()
    for number, call in enumerate(calls)
]

#: By lane: what came of each call, and owners and modes of what they have left.
Found = dict[str, tuple[list[dict[str, Any]], dict[str, tuple[int, int, int]]]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Found]]:
    """Gives what both lanes give to a user."""
    names = ("stock", "remote")
    with serving(tmp_path_factory.mktemp("ssh") / "servers", ["web1"]) as server, ThreadPoolExecutor() as threads:
        yield cache(lambda user: dict(zip(names, threads.map(partial(take, server, user), names), strict=True)))


def take(server: Servers, user: str, name: str) -> tuple[list[dict[str, Any]], dict[str, tuple[int, int, int]]]:
    """Make the calls of a user through one lane."""
    address = {"ansible_host": "127.0.0.1", "ansible_port": server.ports["web1"]}
    host = {"name": "web1", "variables": {**server.variables(Path("/dev/null")), **USERS[user], **address}}
    folder = server.work / user / name
    folder.mkdir(parents=True)
    folder.chmod(0o1777)
    outcomes = lane(folder, name == "remote", SEEN[user], host)
    return outcomes, dict(left(folder))


def left(folder: Path) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Owner, group and mode of what is in a folder."""
    for path in folder.rglob("*"):
        state = path.lstat()
        yield plain(str(path), folder), (state.st_uid, state.st_gid, state.st_mode)


@pytest.mark.parametrize(("user", "number"), CASES)
def test_same_outcome(found: Callable[[str], Found], user: str, number: int) -> None:
    stock, remote = (found(user)[name][0][number] for name in ("stock", "remote"))
    assert differences(stock, {**remote, "lane": stock["lane"]}) == []


@pytest.mark.parametrize("user", WHO)
def test_same_files(found: Callable[[str], Found], user: str) -> None:
    stock, remote = (found(user)[name][1] for name in ("stock", "remote"))
    assert len(stock) >= 5
    assert differences(stock, remote) == []


@pytest.mark.parametrize(
    ("user", "least"), [pytest.param(user, 70 if user == "plain" else 24, marks=marks) for user, marks in MARKS.items()]
)
def test_most_calls_take_the_remote_lane(found: Callable[[str], Found], user: str, least: int) -> None:
    outcomes = dict(zip((call[0] for call in SEEN[user]), found(user)["remote"][0], strict=True))
    taken = {name for name, outcome in outcomes.items() if outcome["lane"] == "remote"}
    assert len(taken) >= least, outcomes.keys() - taken
    assert not taken & STOCK
    assert {outcome["lane"] for outcome in found(user)["stock"][0]} == {"stock"}
