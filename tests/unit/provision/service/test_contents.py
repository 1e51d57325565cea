"""Bundles of content."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import contents, params
from tests.unit.provision.service.world import World, body, refusal

# What others refer to comes last here, and still is there first.
SECTIONS: dict[str, dict[str, Any]] = {
    "workflows": {"wf1": {"Name": "wf1", "Stages": ["stage1"]}},
    "stages": {"stage1": {"Name": "stage1", "Tasks": ["task2"], "BootEnv": "env1"}},
    "bootenvs": {"env1": {"Name": "env1"}},
    "tasks": {
        "task2": {"Name": "task2", "Prerequisites": ["task1"]},
        "task1": {"Templates": [{"Name": "a", "ID": "a.tmpl"}]},
    },
    "templates": {"a.tmpl": {"ID": "a.tmpl", "Contents": "text"}},
    "profiles": {"p1": {"Name": "p1", "Params": {"size": 1, "password": "s3cret"}}},
    "params": {
        "size": {"Name": "size", "Schema": {"type": "integer"}},
        "password": {"Name": "password", "Secure": True},
    },
}


def bundle(sections: Any = SECTIONS, **meta: Any) -> bytes:
    return body({"meta": {"Name": "pack", "Version": "v1", **meta}, "sections": sections})


def load(world: World, sections: Any = SECTIONS, **meta: Any) -> Any:
    return world.write(contents.create_content, bundle(sections, **meta))


def reload(world: World, sections: Any = SECTIONS, **meta: Any) -> Any:
    return world.write(contents.replace_content, "pack", bundle(sections, **meta))


def reload_nothing(world: World) -> Any:
    return reload(world, {})


def without(section: str, key: str) -> dict[str, Any]:
    kept = {name: value for name, value in SECTIONS[section].items() if name != key}
    return {**SECTIONS, section: kept}


def test_each_bundle_of_a_list_has_what_is_its_own(world: World) -> None:
    load(world)
    world.create("profiles", Name="free")
    other = body({"meta": {"Name": "more"}, "sections": {"stages": {"stage2": {"Tasks": ["absent"]}}}})
    world.write(contents.create_content, other)
    found = {one.meta.name: (one.counts, one.warnings) for one in world.read(contents.list_contents)}
    assert found["more"] == ({"stages": 1}, ["stages/stage2: Task absent does not exist"])
    assert found["pack"] == ({section: len(objects) for section, objects in SECTIONS.items()}, [])
    assert found["BasicStore"][0]["bootenvs"] == 2


@pytest.mark.parametrize("remove", [lambda world: world.write(contents.remove_content, "pack"), reload_nothing])
def test_the_key_of_what_goes_with_a_bundle_is_forgotten(world: World, remove: Any) -> None:
    load(world)
    before = world.write(params.public_key, "profiles", "p1")
    assert world.write(params.public_key, "profiles", "p1") == before
    remove(world)
    world.create("profiles", Name="p1")
    assert world.write(params.public_key, "profiles", "p1") != before


def test_a_bundle_is_loaded_whole(world: World) -> None:
    summary = load(world)
    assert summary.meta.version == "v1"
    assert summary.counts == {section: len(objects) for section, objects in SECTIONS.items()}
    assert summary.warnings == []
    task = world.show("tasks", "task1")
    assert (task.bundle, task.read_only, task.available) == ("pack", True, True)
    assert "sane-exit-codes" in task.meta["feature-flags"]
    assert world.show("stages", "stage1").runner_wait
    assert world.show("workflows", "wf1").available
    events = world.events()
    assert len(events) == len(set(events)) == 1 + sum(map(len, SECTIONS.values()))
    assert all(".create." in event for event in events)


def test_a_bundle_is_shown_whole_without_secrets(world: World) -> None:
    load(world)
    shown = world.read(contents.show_content, "pack")
    assert {section: sorted(objects) for section, objects in shown.sections.items()} == {
        section: sorted(objects) for section, objects in SECTIONS.items()
    }
    assert shown.sections["bootenvs"]["env1"]["Name"] == "env1"
    assert b"s3cret" not in encode(shown)
    with refusal(404, "GET", "Not Found", model="contents", key="other"):
        world.read(contents.show_content, "other")


def test_bundles_are_listed(world: World) -> None:
    load(world)
    built_in, pack = world.read(contents.list_contents)
    assert (built_in.meta.name, pack.meta.name) == ("BasicStore", "pack")
    assert built_in.counts["bootenvs"] == 2


def test_objects_of_a_bundle_are_read_only_unless_it_is_writable(world: World) -> None:
    load(world)
    with refusal(403, "PATCH", "tasks task1 is read-only", model="tasks", key="task1"):
        world.set("tasks", "task1", Description="d")
    reload(world, Writable=True)
    changed = world.set("tasks", "task1", Description="d")
    assert (changed.bundle, changed.description) == ("pack", "d")


def test_a_replaced_bundle_writes_what_differs(world: World) -> None:
    load(world)
    world.events()
    sections = without("workflows", "wf1")
    sections["tasks"] = {**sections["tasks"], "task3": {"Name": "task3"}}
    sections["bootenvs"] = {"env1": {"Name": "env1", "Kernel": "vmlinuz"}}
    reload(world, sections, Version="v2")
    assert sorted(world.events()) == [
        "bootenvs.update.env1",
        "contents.update.pack",
        "tasks.create.task3",
        "workflows.delete.wf1",
    ]
    assert world.read(contents.list_contents)[1].meta.version == "v2"
    reload(world, sections, Version="v2")
    assert world.events() == []


def test_what_a_bundle_lacks_is_a_warning(world: World) -> None:
    assert load(world, without("bootenvs", "env1")).warnings == [
        "stages/stage1: Bootenv env1 does not exist",
        "workflows/wf1: Stage stage1 is not available",
    ]
    assert reload(world).warnings == []


def test_a_bundle_is_removed(world: World) -> None:
    load(world)
    summary = world.write(contents.remove_content, "pack")
    assert summary.counts["tasks"] == 2
    assert [one.meta.name for one in world.read(contents.list_contents)] == ["BasicStore"]
    with refusal(404, "GET", "Not Found"):
        world.show("tasks", "task1")
    with refusal(404, "DELETE", "Not Found", model="contents", key="pack"):
        world.write(contents.remove_content, "pack")


def test_what_is_in_use_is_not_removed(world: World) -> None:
    load(world)
    world.create("machines", Name="m1", Workflow="wf1")
    with refusal(409, "StillInUseError", "wf1 is in use by machines m1", model="workflows", key="wf1"):
        reload(world, without("workflows", "wf1"))
    with pytest.raises(Refused) as refused:
        world.write(contents.remove_content, "pack")
    assert refused.value.error.code == 409
    assert world.show("tasks", "task1")


@pytest.mark.parametrize(
    ("section", "value", "message"),
    [
        ("tasks", {"Name": "x1", "Templates": 1}, "tasks/x1: Expected `array`, got `int` - at `$.Templates`"),
        ("tasks", {"Name": "x2"}, "tasks/x1: its Name is x2"),
        ("tasks", 1, "tasks/x1: Expected `object`, got `int`"),
        ("tasks", {"Prerequisites": ["x1"]}, "tasks/x1: Task x1 depends on itself!"),
        (
            "profiles",
            {"Params": {"size": "big"}},
            "profiles/x1: Key 'size': invalid val 'big': 'big' is not of type 'integer'",
        ),
        ("machines", {"Name": "x1"}, "machines: no such section"),
    ],
)
def test_what_is_wrong_with_a_bundle_is_told_with_its_place(
    world: World, section: str, value: Any, message: str
) -> None:
    sections = {**SECTIONS, section: {**SECTIONS.get(section, {}), "x1": value}}
    with refusal(422, "ValidationError", message, model="contents", key="pack"):
        load(world, sections)
    assert world.events() == []


def test_a_param_of_a_bundle_stays_secure_while_values_of_it_are_sealed(world: World) -> None:
    load(world)
    sections = {**SECTIONS, "params": {**SECTIONS["params"], "password": {"Name": "password"}}}
    message = "params/password: Values are sealed in 1 objects, among them profiles/p1"
    with refusal(422, "ValidationError", message, model="contents", key="pack"):
        reload(world, sections)


def test_bundles_that_are_refused(world: World) -> None:
    with pytest.raises(Refused) as refused:
        world.write(contents.create_content, b"[]")
    assert (refused.value.error.code, refused.value.error.type) == (400, "POST")
    with refusal(400, "CREATE", "Empty key not allowed", model="contents"):
        load(world, Name="")
    load(world)
    with refusal(409, "CREATE", "already exists", model="contents", key="pack"):
        load(world)
    with refusal(400, "PUT", "Key change from pack to other not allowed", model="contents", key="pack"):
        reload(world, Name="other")
    with refusal(404, "PUT", "Not Found", model="contents", key="none"):
        world.write(contents.replace_content, "none", bundle())
    with refusal(403, "DELETE", "contents BasicStore is read-only", model="contents", key="BasicStore"):
        world.write(contents.remove_content, "BasicStore")
    with refusal(403, "PUT", "contents BasicStore is read-only", model="contents", key="BasicStore"):
        world.write(contents.replace_content, "BasicStore", bundle(Name="BasicStore"))


def test_objects_that_came_otherwise_are_not_replaced(world: World) -> None:
    world.create("tasks", Name="task1")
    sections = {"tasks": {"task1": {}}, "stages": {"none": {}}}
    messages = ("tasks/task1: already exists", "stages/none: belongs to content BasicStore")
    with refusal(409, "CREATE", *messages, model="contents", key="pack"):
        load(world, sections)


def test_features_that_are_not_there_are_a_warning_unless_the_server_is_strict(world: World) -> None:
    wanted = bundle({}, RequiredFeatures="sane-exit-codes, time-travel, elevated-tasks asset-dir")
    missing = [
        "Missing required feature time-travel: what uses it may not work",
        "Missing required feature asset-dir: plugins bring no files: upload them",
    ]
    with refusal(422, "ValidationError", *missing, model="contents", key="pack"):
        world.write(lambda tx: contents.create_content(tx, wanted, strict=True))
    assert world.write(contents.create_content, wanted).warnings == missing
    (listed,) = (one for one in world.read(contents.list_contents) if one.meta.name == "pack")
    assert listed.warnings == missing
    with refusal(422, "ValidationError", *missing, model="contents", key="pack"):
        world.write(lambda tx: contents.replace_content(tx, "pack", wanted, strict=True))


def test_a_profile_in_use_goes_with_a_warning(world: World) -> None:
    load(world)
    world.create("machines", Name="m1", Profiles=["p1"])
    found = reload(world, {name: of for name, of in SECTIONS.items() if name != "profiles"})
    assert found.warnings == ["profiles/p1: p1 is in use by machines m1"]
    (machine,) = world.read(lambda reader: [*reader.all(Machine)])
    assert (machine.available, machine.runnable, machine.errors) == (False, False, ["Profile p1 does not exist"])
    reload(world)
    (machine,) = world.read(lambda reader: [*reader.all(Machine)])
    assert machine.available


def test_what_a_bundle_needs(world: World) -> None:
    community = (
        "Missing prerequisite drp-community-content: load it first; it is in "
        "https://github.com/digitalrebar/provision-content, in the folder content"
    )
    with refusal(422, "ValidationError", "Missing prerequisite base: load it first", community, model="contents"):
        load(world, Prerequisites="base: >=1.0, drp-community-content")
    with refusal(422, "ValidationError", "Invalid Name `a/b`", model="contents", key="a/b"):
        load(world, Name="a/b")
    with refusal(422, "ValidationError", "Overwritable content is not supported", model="contents", key="pack"):
        load(world, Overwritable=True)
    load(world, {}, Name="base")
    assert load(world, Prerequisites="base: >=1.0", RequiredFeatures="sane-exit-codes").counts["tasks"] == 2
