"""The lanes inside an action plugin under ansible-playbook."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.matrix import sampled

from .driving import DATA, environment

PLAYBOOK = str(Path(sys.executable).with_name("ansible-playbook"))


def command(tmp_path: Path, orders: list[dict[str, Any]], **more: Any) -> list[str]:
    extra = {"orders": orders, "report": str(tmp_path / "report.json"), **more}
    inventory = str(DATA / "inventory" / "hosts.yml")
    return [PLAYBOOK, "-i", inventory, str(DATA / "operate.yml"), "-e", json.dumps(extra)]


def play(tmp_path: Path, orders: list[dict[str, Any]], *options: str, **more: Any) -> tuple[list[Any], str]:
    done = subprocess.run(
        [*command(tmp_path, orders, **more), *options],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((tmp_path / "report.json").read_text())["outcomes"], done.stdout


@pytest.mark.parametrize("fast", sampled([True, False], 2))
def test_orders_see_the_playbook_around_them(tmp_path: Path, fast: bool) -> None:
    orders: list[dict[str, Any]] = [
        {"module": "test.lanes.probe", "args": {"do": "process"}},
        {"module": "test.lanes.probe", "host": {"name": "web1"}},
        {"kind": "role", "source": "test.lanes.five"},
        {"kind": "playbook", "source": str(DATA / "playbooks" / "all.yml"), "host": {"name": "web1"}},
        {"module": "ansible.builtin.debug", "args": {"var": "color"}, "host": {"name": "web1"}},
        {"module": "test.lanes.probe", "args": {"do": "warn"}},
    ]
    outcomes, _ = play(tmp_path, orders, fast=fast)
    assert [outcome["error"] for outcome in outcomes] == [None] * 6
    assert outcomes[0]["result"]["variable"] == "from the play"
    assert outcomes[1]["result"]["greeting"] == "hello by default"
    assert outcomes[2]["result"]["stats"] == {"five_total": "hello default"}
    assert outcomes[3]["result"]["stats"]["seen"] == "web1"
    assert outcomes[4]["result"]["color"] == "green"
    assert any("take care" in text for text in outcomes[5]["warnings"])
    assert {outcome["lane"] for outcome in outcomes[:3]} == {"fast" if fast else "stock"}


def test_tags_of_the_playbook_around_do_not_apply(tmp_path: Path) -> None:
    orders = [{"kind": "role", "source": "test.lanes.five"}]
    outcomes, _ = play(tmp_path, orders, "--tags", "other")
    assert len(outcomes[0]["result"]["tasks"]) == 7


def test_displays_of_operations_reach_the_terminal(tmp_path: Path) -> None:
    orders = [{"module": "ansible.builtin.command", "args": {"_raw_params": "echo 1"}, "host": {"name": "web1"}}]
    _, output = play(tmp_path, orders, "-vvv", fast=False)
    assert "<web1> ESTABLISH LOCAL CONNECTION" in output or "<127.0.0.1> ESTABLISH LOCAL CONNECTION" in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ending_the_playbook_ends_its_operations(tmp_path: Path, number: signal.Signals) -> None:
    pid = tmp_path / "pid"
    orders = [{"module": "ansible.builtin.shell", "args": {"_raw_params": f"echo $$ > {pid}; exec sleep 100"}}]
    job = subprocess.Popen(
        command(tmp_path, orders), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not (pid.exists() and pid.read_text().strip()):
        assert job.poll() is None
        time.sleep(0.02)
    job.send_signal(number)
    job.wait(30)
    while Path(f"/proc/{pid.read_text().strip()}").exists():
        time.sleep(0.02)
