"""What each kind of objects says of itself, which is all that the rest knows of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import wire_name
from ansible_ensemble.provision.objects.codec import field_names
from ansible_ensemble.provision.objects.content import BootEnv, Profile, Stage, Task, Workflow
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.objects.pool import Pool, PoolActions
from ansible_ensemble.provision.objects.stored import STORED, Endpoint

#: What tables of machines and jobs have beside their fields.
BESIDE = {"machines": {"Task", "Progress", "State"}, "jobs": {"MachineName", "Duration"}}
#: Objects that refer to all that their kind can.
REFERRING = (
    Task(templates=[TemplateInfo(id="a")], prerequisites=["b"]),
    Profile(profiles=["a"], params={"b": 1}),
    BootEnv(templates=[TemplateInfo(id="a")]),
    Stage(templates=[TemplateInfo(id="a")], boot_env="b", tasks=["c", "stage:d"], profiles=["e"], params={"f": 1}),
    Workflow(stages=["a"]),
    Pool(parent_pool="a", enter_actions=PoolActions(workflow="b", add_profiles=["c"])),
    Endpoint(version_set="a"),
    Machine(stage="a", boot_env="b", workflow="c", profiles=["d"], params={"e": 1}, tasks=["f"]),
    KINDS["users"](roles=["a"]),  # type: ignore[call-arg]
    KINDS["tenants"](users=["a"]),  # type: ignore[call-arg]
    KINDS["plugins"](provider="a", params={"b": 1}),  # type: ignore[call-arg]
)


def test_a_kind_refers_to_kinds_before_it_and_to_its_own() -> None:
    order = list(KINDS)
    for prefix, kind in KINDS.items():
        assert {*kind.REFERS} <= {*order[: order.index(prefix) + 1]}


@pytest.mark.parametrize("one", REFERRING, ids=lambda one: one.PREFIX)
def test_an_object_refers_to_the_kinds_that_it_says(one) -> None:
    assert {kind for kind, _key in one.references()} == {*one.REFERS}


def test_all_that_refer_to_others_are_tried() -> None:
    assert {one.PREFIX for one in REFERRING} == {prefix for prefix, kind in KINDS.items() if kind.REFERS}


@pytest.mark.parametrize("kind", [one for one in KINDS.values() if one.SUMMARY], ids=lambda kind: kind.PREFIX)
def test_columns_are_fields(kind) -> None:
    names = {column.partition(".")[0] for column in kind.COLUMNS} - BESIDE.get(kind.PREFIX, set())
    assert names <= {*field_names(kind)} - {wire_name("secret")}, kind


def test_a_kind_that_is_only_kept_stands_in_one_file(repository: Path) -> None:
    files = [file for folder in ("python", "plugins") for file in (repository / folder).rglob("*.py")]
    texts = {file: re.sub(r"(?s)# >>> .*?# <<<", "", file.read_text(encoding="utf-8")) for file in files}
    for kind in STORED:
        named = re.compile(rf'"{kind.PREFIX}"|import .*\b{kind.__name__}\b')
        assert {file.name for file, text in texts.items() if named.search(text)} == {"stored.py"}
