from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.command import CommandConfigurator, ScriptConfigurator
from ansible_ensemble.core.orders import Host, Outcome

from .conftest import carry_out

REMOTE = Host("web1", {"ansible_host": "192.0.2.1"})
MADE = Outcome(ok=True, changed=True, result={"path": "/tmp/made"})
DONE = Outcome(ok=True, rc=0)
LOST = Outcome(ok=False, error="no route", unreachable=True)


@pytest.fixture
def remote(task: Any, tmp_path: Path) -> Any:
    def make(**given: Any) -> Any:
        implementation = {"primary": "true", "become": True, "changed_when": "false", "environment": {"A": "1"}}
        return task(implementation, host=REMOTE, files=(tmp_path / "x.txt",), **given)

    return make


def short(orders: list[Any]) -> list[tuple[str, str]]:
    return [(one.module.rpartition(".")[2], one.args.get("chdir", one.args.get("path", ""))) for one in orders]


def test_a_command_runs_where_its_files_are(remote: Any) -> None:
    result, orders = carry_out(CommandConfigurator("cat x.txt"), remote(), MADE, DONE, DONE, DONE)
    assert result.success
    assert short(orders) == [("tempfile", ""), ("copy", ""), ("shell", "/tmp/made"), ("file", "/tmp/made")]
    assert all(one.host is REMOTE for one in orders)
    assert [sorted(one.keywords) for one in orders] == [
        ["become"],
        ["become"],
        ["become", "changed_when", "environment"],
        ["become"],
    ]


@pytest.mark.parametrize("cwd,there", [("sub", "/tmp/made/sub"), ("/srv", "/srv")])
def test_its_own_folder(remote: Any, cwd: str, there: str) -> None:
    task = remote(inputs={"cwd": cwd})
    _, orders = carry_out(CommandConfigurator("cat x.txt"), task, MADE, DONE, DONE, DONE)
    assert orders[2].args["chdir"] == there


def test_a_script_goes_along(remote: Any, tmp_path: Path) -> None:
    script = tmp_path / "say.sh"
    script.write_text("true\n")
    _, orders = carry_out(
        ScriptConfigurator(str(script)), remote(inputs={"arguments": ["a b"]}), MADE, DONE, DONE, DONE
    )
    assert orders[2].args == {"argv": ["/bin/sh", "./say.sh", "a b"], "chdir": "/tmp/made"}


def test_the_folder_goes_whatever_happens(remote: Any) -> None:
    result, orders = carry_out(CommandConfigurator("cat x.txt"), remote(), MADE, DONE, Outcome(ok=False, rc=1), DONE)
    assert not result.success
    assert orders[-1].args == {"path": "/tmp/made", "state": "absent"}


@pytest.mark.parametrize("outcomes", [(LOST,), (MADE, LOST, DONE)], ids=["folder", "file"])
def test_nothing_runs_without_its_files(remote: Any, outcomes: tuple[Outcome, ...]) -> None:
    result, orders = carry_out(CommandConfigurator("cat x.txt"), remote(), *outcomes)
    assert "shell" not in [name for name, _ in short(orders)]
    assert (result.success, result.modified) == (False, False)
    assert "could not be copied to the host: no route" in str(result.error)
