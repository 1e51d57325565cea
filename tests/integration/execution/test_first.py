"""What a module call runs first: where and as whom its module runs, once, and before it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ansible_ensemble.core.orders import Host, ModuleCall, Outcome
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from tests.integration.sshd import SSHD, Servers, serving

from .test_lanes import shell, use

LANES: list[dict[str, Any]] = [{}, {"fast": False}, {"use_task_executor": False}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    if SSHD is None:
        pytest.skip("sshd is not installed")
    with serving(tmp_path_factory.mktemp("ssh") / "servers", ["web1"]) as servers:
        yield servers


def run(order: ModuleCall, made: Path, **options: Any) -> tuple[Outcome, list[Any]]:
    """Carry out an order; also what it asked, each before there was what it makes."""
    asked: list[Any] = []

    async def answer(question: Any) -> None:
        assert not made.exists(), "the module waits for the answer"
        asked.append(question)

    async def work(lanes: AnsibleLanes) -> Outcome:
        return await lanes.run(order, answer=answer)

    return use(work, **options)[0], asked


@pytest.mark.parametrize("options", LANES)
def test_on_the_controller(tmp_path: Path, options: dict[str, Any]) -> None:
    first = ("sh", "-c", 'echo "$WHO" "$1" "$PWD"; exit 3', "sh", "it's")
    keywords = {"environment": {"WHO": "me and you"}, "until": "false", "retries": 1, "delay": 0}
    order = shell(f"echo >> {tmp_path}/made; exit 1", first=first, keywords=keywords, base=str(tmp_path))
    outcome, asked = run(order, tmp_path / "made", **options)
    assert not outcome.ok
    assert (tmp_path / "made").read_text() == "\n\n", "it was tried twice"
    assert asked == [{"code": 3, "stdout": f"me and you it's {tmp_path}"}]


@pytest.mark.parametrize("options", LANES)
@pytest.mark.parametrize("user", ["nobody", "root"])
def test_on_a_host(server: Servers, tmp_path: Path, user: str, options: dict[str, Any]) -> None:
    become = {"become": True, "become_method": "su", "become_user": "nobody", "become_flags": "-s /bin/sh"}
    canary = uuid4().hex
    keywords = {**(become if user == "nobody" else {}), "environment": {"WHO": canary}}
    address = {"ansible_host": "127.0.0.1", "ansible_port": server.ports["web1"]}
    place = Host("web1", {**server.variables(Path("/dev/null")), **address})
    made = server.work / "web1" / "made"
    made.unlink(missing_ok=True)
    made.parent.chmod(0o1777)
    seen = f"ps -eo args | grep -c '[{canary[0]}]{canary[1:]}'"  # which is not itself what it looks for
    first = ("sh", "-c", f'id -un; echo "$WHO"; {seen}')
    outcome, asked = run(shell(f"touch {made}", host=place, first=first, keywords=keywords), made, **options)
    assert outcome.ok, outcome.error
    assert outcome.lane == ("stock" if "fast" in options else "remote")
    (question,) = asked
    name, who, times = question["stdout"].splitlines()
    assert (name, who) == (user, canary)
    assert outcome.lane == "stock" or times == "0", "it is in no command line"
    assert made.owner() == user


def test_a_connection_that_breaks_before_the_module(server: Servers) -> None:
    made = server.work / "web1" / "never"
    address = {"ansible_host": "127.0.0.1", "ansible_port": server.ports["web1"]}
    place = Host("web1", {**server.variables(Path("/dev/null")), **address})
    order = shell(f"touch {made}", host=place, first=("sh", "-c", "kill -9 $PPID"))
    outcome, asked = run(order, made)
    assert (outcome.ok, outcome.unreachable, asked) == (False, True, [])
    assert outcome.changed is not None, "it is known that nothing was changed"
    assert not made.exists()


def test_none_where_nothing_runs(tmp_path: Path) -> None:
    order = shell("true", first=("touch", str(tmp_path / "first")), keywords={"when": "false"})
    outcome, asked = run(order, tmp_path / "first")
    assert (outcome.ok, asked) == (True, [])
