"""What Ansible read by itself becomes reads of an operation, which are compared as any other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import LookedUp, fact_value
from ansible_ensemble.expressions.current import current_values
from ansible_ensemble.expressions.looked_up import note_looked_up


class Inventory:
    """An inventory with two hosts and a group; one variable can only be evaluated by a play."""

    hosts = ("web1", "db1")

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {"port": 80, "of_facts": "{{ ansible_facts.x }} one"}
        self.facts: dict[str, Any] = {}
        self.members = ["db1"]

    def names(self, host: str) -> list[str]:
        return [*self.variables]

    def value(self, host: str, name: str) -> Any:
        if name == "of_facts":
            raise InvalidInput("it fails")
        return self.variables[name]

    def raw(self, host: str, name: str) -> Any:
        return self.variables[name]

    def fact(self, host: str, name: str) -> Any:
        return self.facts[name]

    def matching(self, pattern: str) -> list[str]:
        return self.members


@pytest.fixture
def inventory(model: Any) -> Inventory:
    made = Inventory()
    model.environment.inventory = lambda: made
    return made


def noted(model: Any, found: LookedUp, host: str = "web1", aside: tuple[Path, ...] = ()) -> dict[str, str]:
    scope = model.evaluator().scope(model.instance("app"))
    note_looked_up(found, host, lambda: aside, scope.context())
    return {read.ref: read.digest for read in scope.reads}


def changed(model: Any, reads: dict[str, str]) -> dict[str, Any]:
    scope = model.evaluator().scope(model.instance("app"))
    now = current_values(model.evaluator(), scope, reads)
    return {ref: now[ref].value for ref, digest in reads.items() if now[ref].digest != digest}


def test_each_kind_is_compared_with_what_it_is_now(model: Any, inventory: Inventory) -> None:
    found = LookedUp(["port", "of_facts", "none"], {"db1": ["port"]}, ["db"], {"web1": {"x": 1}}, environ=["HERE"])
    reads = noted(model, found)
    assert list(reads) == [
        *("inventory::web1::port", "inventory::web1::of_facts", "inventory::web1::none", "inventory::db1::port"),
        *("fact::web1::x", "group::db", "env::HERE"),
    ]
    inventory.facts = {"x": 1}
    assert changed(model, reads) == {}
    inventory.variables |= {"port": 81, "of_facts": "{{ ansible_facts.x }} two", "none": "now"}
    inventory.members, inventory.facts = ["db1", "web1"], {}
    assert changed(model, reads) == {
        "inventory::web1::port": 81,
        "inventory::web1::of_facts": "{{ ansible_facts.x }} two",
        "inventory::web1::none": "now",
        "inventory::db1::port": 81,
        "group::db": ["db1", "web1"],
        "fact::web1::x": None,
    }


def test_a_host_that_only_the_topology_has_sees_what_all_see(model: Any, inventory: Inventory) -> None:
    assert list(noted(model, LookedUp(["port"]), "made")) == ["inventory::localhost::port"]


def test_facts_of_others_and_lookups_outside_are_named(model: Any, inventory: Inventory) -> None:
    found = LookedUp(hosts={"db1": ["ansible_facts"]}, outside=["pipe"])
    assert list(noted(model, found)) == ["outside::facts of db1", "outside::the lookup pipe"]


def test_files_count_by_what_they_are_for(model: Any, inventory: Inventory, tmp_path: Path) -> None:
    root = model.environment.root
    (root / "site").mkdir()
    (root / "role").mkdir()
    for name in ("a.txt", "site/b.txt", "role/c.txt", "play.yml"):
        (root / name).write_text(name)
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "given.txt").write_text("x")
    os.mkfifo(root / "pipe")
    files = ["a.txt", "site", "site/b.txt", "role/c.txt", "gone.txt", "pipe"]
    found = LookedUp(
        files=[*(str(root / name) for name in files), str(root), str(outside / "given.txt")],
        loaded=[str(root / "play.yml"), str(root / "a.txt"), str(outside / "of-a-collection.yml")],
    )
    reads = noted(model, found, aside=((root / "role").resolve(),))
    assert list(reads) == ["file:a.txt", "directory:site", f"file:{outside / 'given.txt'}", "file:play.yml"]
    (root / "site/new.txt").write_text("")
    (root / "a.txt").unlink()
    assert list(changed(model, reads)) == ["file:a.txt", "directory:site"]


def test_files_to_leave_out_are_looked_for_only_where_some_were_read(model: Any, inventory: Inventory) -> None:
    scope = model.evaluator().scope(model.instance("app"))
    note_looked_up(LookedUp(["port"]), "web1", lambda: pytest.fail("no file was read"), scope.context())
    assert [read.ref for read in scope.reads] == ["inventory::web1::port"]


def test_a_large_fact_is_compared_by_a_digest() -> None:
    assert fact_value({"a": 1}) == {"a": 1}
    large = {"packages": ["x" * 100] * 100}
    assert isinstance(fact_value(large), str)
    assert fact_value(large) == fact_value(dict(large)) != fact_value({**large, "b": 1})
