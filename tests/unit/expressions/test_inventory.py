from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED, SensitiveStr, is_sensitive
from ansible_ensemble.expressions.current import current_values

HOSTS: dict[str, dict[str, Any]] = {
    "server": {"city": "Rome", "port": 1, "words": "{{ not_rendered }}", "password": SensitiveStr("open sesame")},
    "db1": {"city": "Oslo", "tags": [{"a": 1}]},
    "localhost": {"city": "here", "groups": {"all": ["server", "db1"], "db": ["db1"]}},
}


class Inventory:
    """An inventory that says of what it is asked."""

    hosts = ("server", "db1")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def names(self, host: str) -> list[str]:
        return [*HOSTS[host], "broken"]

    def value(self, host: str, name: str) -> Any:
        self.asked.append(f"{host} {name}")
        if name == "broken":
            raise InvalidInput("the variable broken of the host server fails")
        return HOSTS[host][name]


@pytest.fixture
def inventory(model: Any) -> Inventory:
    made = Inventory()
    model.environment.inventory = lambda: made
    return made


VALUES: list[tuple[str, str, Any]] = [
    ("app", "{{ city }}", "Rome"),
    ("app", "{{ city }} {{ SELF.port }}", "Rome 8080"),
    ("app", "{{ words }}", "{{ not_rendered }}"),
    ("app", "{{ hostvars.db1.city }} {{ hostvars['db1'].tags[0].a }}", "Oslo 1"),
    ("app", "{{ hostvars | dict2items | map(attribute='key') | sort }}", ["db1", "server"]),
    ("app", "{{ 'x' if nope is defined else city | upper }}", "ROME"),
    ("app", "#jinja2: variable_start_string: '[%', variable_end_string: '%]'\n[% city %]", "Rome"),
    ("server", "{{ city }}", "Rome"),
    ("db", "{{ city }}", "here"),
    ("db", "{{ query('inventory_hostnames', 'all:!db') }}", ["server"]),
]


@pytest.mark.parametrize(("instance", "template", "value"), VALUES, ids=[f"{case[0]}: {case[1]}" for case in VALUES])
def test_variables_of_the_machine_and_of_others(
    model: Any, inventory: Inventory, instance: str, template: str, value: Any
) -> None:
    assert model.evaluate(template, instance) == value


@pytest.mark.parametrize("template", ["{{ SELF.port | default(1) }}", "{{ range(2) | list }}", "{{ given }}", "no"])
def test_the_inventory_is_not_asked_without_need(model: Any, template: str) -> None:
    def inventory() -> Inventory:
        raise AssertionError("it was asked for")

    model.environment.inventory = inventory
    model.environment.variables = {"given": "v"}
    model.evaluate(template, "app")


def test_the_job_and_the_topology_go_before(model: Any, inventory: Inventory) -> None:
    model.environment.variables = {"city": "Paris"}
    assert model.evaluate("{{ city }}", "app") == "Paris"
    assert inventory.asked == []


def test_what_is_read_is_taken_down_and_read_again(model: Any, inventory: Inventory) -> None:
    scope = model.evaluator().scope(model.instance("app"))
    scope.evaluate("{{ city }} {{ hostvars.db1.tags | length }}", model.place)
    refs = ["inventory::server::city", "inventory::db1::tags"]
    assert sorted(scope.reads.keys()) == sorted(refs)
    before = {ref: scope.reads.get(ref).digest for ref in refs}
    assert {ref: now.digest for ref, now in current_values(scope.evaluator, scope, refs).items()} == before
    gone = current_values(scope.evaluator, scope, ["inventory::gone::city"])
    assert gone["inventory::gone::city"].digest is None


def test_that_there_is_none_is_taken_down_too(
    model: Any, inventory: Inventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = model.evaluator().scope(model.instance("app"))
    assert scope.evaluate("{{ size | default('small') }}", model.place) == "small"
    ref = "inventory::server::size"
    before = scope.reads.get(ref).digest
    assert current_values(scope.evaluator, scope, [ref])[ref].digest == before
    monkeypatch.setitem(HOSTS["server"], "size", "large")
    assert current_values(scope.evaluator, scope, [ref])[ref].digest not in (before, None)


def test_a_secret_stays_one(model: Any, inventory: Inventory) -> None:
    result = model.evaluate("{{ password }}!", "app")
    assert result == "open sesame!" and is_sensitive(result)
    assert model.environment.redactor.text("it is open sesame") == f"it is {REDACTED}"


def test_one_that_fails_says_so_and_is_never_taken_for_missing(model: Any, inventory: Inventory) -> None:
    with pytest.raises(InvalidInput, match="the variable broken of the host server fails"):
        model.evaluate("{{ hostvars.server.broken | default('x') }}", "app")
