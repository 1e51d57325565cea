from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.command import CommandConfigurator
from ansible_ensemble.configurators.environment import implementation_environment, set_variables
from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.core.environment import with_changes
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.sensitive import mark_sensitive

from .conftest import carry_out


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "kept")
    monkeypatch.setenv("PATH", "/bin")


def test_rules_are_applied_to_what_the_ensemble_made_of_the_job_environment(task: Any) -> None:
    rules = {"-*": None, "+KEPT": None, "+OWN": None, "^PATH": "/opt", "FLAG": False, "REF": "${OWN}/${NO:x}"}
    made = implementation_environment(
        task({"primary": "x", "environment": rules}, environment={"OWN": "own", "B": "b"})
    )
    assert with_changes({"HOME": "/root", "B": "b"}, made).keys() >= {"OWN", "KEPT", "PATH"}
    assert {name: value for name, value in made.items() if value is not None} == {
        **{"KEPT": "kept", "OWN": "own", "PATH": "/opt:/bin", "FLAG": "", "REF": "own/x"}
    }
    assert made["B"] is None


def test_a_command_gets_what_is_removed_and_ansible_what_is_set(task: Any) -> None:
    written = {"primary": "x", "environment": {"-KEPT": None, "A": "1"}}
    for host, expected in ((Host(), {"KEPT": None, "A": "1"}), (Host("web1", {}), {"A": "1"})):
        _, (order,) = carry_out(CommandConfigurator("x"), task(written, host=host), Outcome(ok=True, rc=0))
        assert getattr(order, "environment", None) == expected or order.keywords["environment"] == expected


@pytest.mark.parametrize(
    "configurator",
    [ModuleConfigurator("ansible.builtin.ping"), PlayConfigurator("tasks", "/t.yml")],
    ids=["module", "play"],
)
def test_what_ansible_runs_has_the_variables_of_the_ensemble(task: Any, configurator: Any) -> None:
    given = task(
        {"primary": "x", "environment": [{"^PATH": "/opt"}, {"B": mark_sensitive("b")}]}, environment={"A": "a"}
    )
    _, (order,) = carry_out(configurator, given, Outcome(ok=True))
    assert order.keywords == {"environment": {"A": "a", "PATH": "/opt:/bin", "B": "b"}}
    assert type(order.keywords["environment"]["B"]) is str


@pytest.mark.parametrize("environment", ["A=1", ["A=1"], {"A=B": 1}, {"-": None}])
@pytest.mark.parametrize("configurator", [CommandConfigurator("x"), ModuleConfigurator("ansible.builtin.ping")])
def test_refused(task: Any, configurator: Any, environment: Any) -> None:
    with pytest.raises(InvalidInput, match="environment"):
        configurator.render(task({"primary": "x", "environment": environment}))


def test_nothing_is_set(task: Any) -> None:
    assert set_variables(task("x")) == {}


def test_connections_come_after_the_ensemble_and_before_the_implementation(task: Any) -> None:
    connected = {"A": "connection", "B": mark_sensitive("connection"), "C": "${A}!"}
    written = {"primary": "x", "environment": {"B": "own"}}
    made = implementation_environment(task(written, environment={"A": "ensemble"}, connected=connected))
    assert made == {"A": "connection", "B": "own", "C": "connection!"}


def test_programs_of_tools_are_found_first_and_on_the_controller_alone(task: Any, tmp_path: Any) -> None:
    tools = (tmp_path / "one", tmp_path / "two")
    made = implementation_environment(task({"primary": "x", "environment": {"^PATH": "/own"}}, tools=tools))
    assert made == {"PATH": f"/own:{tmp_path}/one/bin:{tmp_path}/two/bin:/bin"}
    assert implementation_environment(task("x", tools=tools, host=Host("web1", {}))) == {}
    assert implementation_environment(task("x", tools=tools, environment={"PATH": "/sbin"}))["PATH"].endswith(":/sbin")
