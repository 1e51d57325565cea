"""Commands on objects of every kind: what they answer, what they fill in, and what they refuse."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.integration.provision import go_objects
from tests.integration.provision.conftest import Walking
from tests.integration.provision.go_objects import MODELS
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Refusal

#: The least that each kind is created with, beside its key.
CREATED: dict[str, dict[str, Any]] = {
    "templates": {"Contents": "hello"},
    "params": {"Schema": {"type": "string", "default": "x"}},
    "profiles": {"Params": {"color": "red"}},
    "tasks": {"Templates": [{"Name": "t", "Contents": "x", "Path": "", "ID": "", "Meta": None}]},
    "bootenvs": {"OS": {"Name": "linux"}},
    "stages": {},
    "workflows": {},
    "contexts": {"Image": "image"},
    "roles": {"Claims": [{"scope": "machines", "action": "get", "specific": "*"}]},
    "users": {"Roles": ["superuser"]},
    "machines": {},
}


@pytest.mark.parametrize("prefix", CREATED)
def test_the_life_of_an_object(walk: Walking, prefix: str) -> None:
    async def steps(walk: Walk) -> None:
        cli, name = walk.cli, walk.name("one")
        given = {"ID" if prefix == "templates" else "Name": name, **CREATED[prefix]}
        made = await cli.create(prefix, given)
        key = made["Uuid"] if prefix == "machines" else name
        assert (made["Validated"], made["Available"], made["Errors"]) == (True, True, [])
        assert (made["ReadOnly"], made["Bundle"]) == (False, "")

        raw = await cli.wire.call("GET", f"{prefix}/{key}")
        omitted = {"jobs": {"ExtraClaims", "Token"}, "tasks": {"ExtraClaims", "ExtraRoles"}}
        assert raw.keys() | omitted.get(prefix, set()) >= MODELS[prefix].keys()
        assert raw.keys() <= MODELS[prefix].keys()
        assert not [field for field, value in raw.items() if value is None and MODELS[prefix][field] != go_objects.ANY]
        assert go_objects.decoded(MODELS[prefix], raw) == made
        assert raw in await cli.list(prefix)
        assert await cli.exists(prefix, key)
        assert (await cli.meta(prefix, key)) == made["Meta"]

        changed = await cli.update(prefix, key, {"Meta": {"color": "blue"}, "Description": "mine"})
        assert (changed["Meta"]["color"], changed["Description"]) == ("blue", "mine")
        assert await cli.update(prefix, key, {"Description": "ours"}, ref=changed)
        with pytest.raises(Refusal) as stale:
            await cli.update(prefix, key, {"Description": "theirs"}, ref=changed)
        assert (stale.value.status, stale.value.error["Type"], stale.value.error["Model"]) == (409, "PATCH", prefix)
        assert re.match(r"Patch error at line \d+: Test op failed", stale.value.messages[0])
        assert await cli.patch(prefix, key, []) == await cli.show(prefix, key)

        with pytest.raises(Refusal) as twice:
            await cli.create(prefix, {**given, **({"Uuid": key} if prefix == "machines" else {})})
        assert (twice.value.status, twice.value.error["Type"], twice.value.messages) == (
            409,
            "CREATE",
            ["already exists"],
        )

        gone = await cli.destroy(prefix, key)
        assert gone["Description"] == "ours"
        assert not await cli.exists(prefix, key)
        for method in ("GET", "DELETE"):
            with pytest.raises(Refusal) as missing:
                await cli.wire.call(method, f"{prefix}/{key}")
            expected = {"Type": method, "Model": prefix, "Key": key, "Messages": ["Not Found"], "Code": 404}
            assert missing.value.error == expected

    walk(steps)


def test_what_a_machine_is_created_with(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        made = await walk.machine("m", Runnable=False)
        filled = {
            "Stage": "none",
            "BootEnv": "local",
            "Runnable": True,
            "Arch": "amd64",
            "Pool": "default",
            "PoolStatus": "Free",
            "CurrentJob": "",
            "Context": "",
            "Workflow": "",
            "Tasks": [],
        }
        assert {name: made[name] for name in filled} == filled
        assert len(made["Secret"]) >= 16
        assert "change-stage-v2" in made["Meta"]["feature-flags"].split(",")
        for way in (f"Name:{made['Name']}", f"Uuid:{made['Uuid']}", f"Key:{made['Uuid']}"):
            assert (await walk.cli.show("machines", way))["Uuid"] == made["Uuid"]
        assert not await walk.cli.exists("machines", made["Name"])

    walk(steps)


def test_what_a_task_says_of_its_exit_codes(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        assert (await walk.task("new"))["Meta"]["feature-flags"] == "sane-exit-codes"
        old = await walk.task("old", Meta={"feature-flags": "original-exit-codes"})
        assert "sane-exit-codes" not in old["Meta"]["feature-flags"].split(",")

    walk(steps)


def test_what_is_missing_makes_unavailable_until_it_is_there(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli, stage = walk.cli, walk.name("stage")
        flow = await cli.create("workflows", {"Name": walk.name("flow"), "Stages": [stage]})
        assert (flow["Available"], flow["Validated"]) == (False, True)
        assert any(f"Stage {stage} does not exist" in error for error in flow["Errors"])
        await walk.stage("stage", ["task"])
        assert (await cli.show("stages", stage))["Available"] is False
        assert (await cli.show("workflows", flow["Name"]))["Available"] is False
        await walk.task("task")
        assert (await cli.show("stages", stage))["Available"] is True
        assert (await cli.show("workflows", flow["Name"]))["Available"] is True
        with pytest.raises(Refusal) as used:
            await cli.destroy("stages", stage)
        assert (used.value.status, used.value.error["Type"]) == (409, "StillInUseError")

    walk(steps)


#: What is created, and the status and type of the refusal.
REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("machines", {"Name": ""}, 422, "ValidationError"),
    ("tasks", {"Name": ""}, 400, "CREATE"),
    ("tasks", {"Name": "a/b"}, 422, "ValidationError"),
    ("templates", {"ID": "broken", "Contents": "{{ if }}"}, 422, "ValidationError"),
    ("params", {"Name": "broken", "Schema": {"type": 7}}, 422, "ValidationError"),
    ("params", {"Name": "wrong", "Schema": {"type": "string", "default": 7}}, 422, "ValidationError"),
    ("machines", {"Name": "arch", "Arch": "x86_64"}, 422, "ValidationError"),
    ("machines", {"Name": "flow", "Workflow": "nowhere"}, 422, "ValidationError"),
    ("machines", {"Name": "twice", "Profiles": ["global", "global"]}, 422, "ValidationError"),
]


@pytest.mark.parametrize(("prefix", "given", "status", "kind"), REFUSED)
def test_what_is_not_created(walk: Walking, prefix: str, given: dict[str, Any], status: int, kind: str) -> None:
    async def steps(walk: Walk) -> None:
        before = await walk.cli.count(prefix)
        with pytest.raises(Refusal) as refused:
            await walk.cli.create(prefix, given)
        assert (refused.value.status, refused.value.error["Type"]) == (status, kind)
        assert await walk.cli.count(prefix) == before

    walk(steps)


def test_filters(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli, word = walk.cli, walk.name("")
        for number, color in enumerate(("red", "green", "blue", "red")):
            await walk.machine(f"m{number}", Params={"color": color}, Meta={"rack": str(number % 2), "walk": word})
        mine = f"Meta.walk={word}"
        found = {
            ("color=red",): ["m0", "m3"],
            ("color=Ne(red)",): ["m1", "m2"],
            ("color=In(green,blue)",): ["m1", "m2"],
            ("color=Nin(green,blue)",): ["m0", "m3"],
            ("Meta.rack=1",): ["m1", "m3"],
            (f"Name={word}m2",): ["m2"],
            (f"Name=Gt({word}m1)",): ["m2", "m3"],
            (f"Name=Between({word}m1,{word}m2)",): ["m1", "m2"],
            (f"Name=Except({word}m1,{word}m2)",): ["m0", "m3"],
            ("sort=Name", "reverse=true", "limit=2"): ["m3", "m2"],
            (f"Name={word}m1", f"Name={word}m2"): ["m1", "m2"],
            ("sort=Name", "offset=1", "limit=1"): ["m1"],
            ("Runnable=true", "sort=Name"): ["m0", "m1", "m2", "m3"],
            ("Runnable=false",): [],
        }
        for filters, names in found.items():
            listed = await cli.list("machines", mine, *filters, *(() if "sort=Name" in filters else ("sort=Name",)))
            assert [machine["Name"].removeprefix(word) for machine in listed] == names, filters
        assert await cli.count("machines", mine) == 4
        assert await cli.count("machines", mine, "color=red") == 2
        slim = await cli.list("machines", mine, "slim=Params,Meta")
        assert [(machine["Params"], machine["Meta"], machine["Partial"]) for machine in slim] == [({}, {}, True)] * 4
        some = await cli.list("machines", mine, "params=color", "sort=Name")
        assert [machine["Params"] for machine in some] == [{"color": c} for c in ("red", "green", "blue", "red")]

    walk(steps)


BAD_FILTERS = [
    ("tasks", "Unknown=1"),
    ("machines", "Uuid=false"),
    ("machines", "Runnable=maybe"),
    ("machines", "limit=-1"),
    ("machines", "offset=x"),
    ("jobs", "StartTime=yesterday"),
    ("machines", "Name=Re(()"),
]


@pytest.mark.parametrize(("prefix", "query"), BAD_FILTERS)
def test_filters_that_make_no_sense(walk: Walking, prefix: str, query: str) -> None:
    async def steps(walk: Walk) -> None:
        with pytest.raises(Refusal) as refused:
            await walk.cli.list(prefix, query)
        error = refused.value.error
        assert (refused.value.status, error["Type"], error["Model"]) == (406, "GET", prefix)

    walk(steps)


def test_an_object_is_waited_for(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        wire, path = walk.cli.wire, f"profiles/{walk.name('p')}"
        await walk.cli.create("profiles", {"Name": walk.name("p")})
        status, headers = await wire.headers("GET", path)
        assert status == 200
        known = {"If-None-Match": headers["Etag" if "Etag" in headers else "ETag"]}
        assert (await wire.headers("GET", path, known))[0] == 304
        assert (await wire.headers("HEAD", path, {**known, "Prefer": "wait=10ms"}))[0] == 304
        await walk.cli.update("profiles", walk.name("p"), {"Description": "other"})
        assert (await wire.headers("GET", path, {**known, "Prefer": "wait=60s"}))[0] == 200

    walk(steps)


def test_templates_are_uploaded(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        for text in ("one", "two"):
            assert (await walk.cli.upload_template(walk.name("t.tmpl"), text))["Contents"] == text
        with pytest.raises(Refusal) as refused:
            await walk.cli.wire.call("PUT", f"templates/{walk.name('t.tmpl')}", {"ID": "other", "Contents": ""})
        assert refused.value.status == 400

    walk(steps)


def test_general_routes(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        wire = walk.cli.wire
        info = await wire.call("GET", "info")
        assert "selective-job-purge" in info["features"]
        assert "machines" in await wire.call("GET", "objects")
        prefs = await wire.call("GET", "prefs", shape=go_objects.TEXT_MAP)
        assert (prefs["defaultStage"], prefs["defaultBootEnv"], prefs["defaultWorkflow"]) == ("none", "local", "")
        assert (await walk.cli.indexes("machines"))["Name"]["Unique"] is True
        assert await walk.cli.actions("machines", (await walk.machine("m"))["Uuid"]) == []
        assert await walk.cli.exists("bootenvs", "ignore")
        assert await walk.cli.exists("stages", "local")
        with pytest.raises(Refusal) as refused:
            await wire.call("GET", "no/such/route")
        assert refused.value.status == 404

    walk(steps)


def test_content_is_loaded_and_replaced(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli, pack = walk.cli, walk.name("pack")
        task = {"Name": walk.name("packed"), "Templates": []}
        await cli.upload_content(pack, {"tasks": {task["Name"]: task}})
        loaded = await cli.show("tasks", task["Name"])
        assert (loaded["ReadOnly"], loaded["Bundle"]) == (True, pack)
        with pytest.raises(Refusal):
            await cli.update("tasks", task["Name"], {"Description": "mine"})
        other = {"Name": walk.name("other"), "Templates": []}
        await cli.upload_content(pack, {"tasks": {other["Name"]: other}})
        assert not await cli.exists("tasks", task["Name"])
        assert other["Name"] in (await cli.wire.call("GET", f"contents/{pack}"))["sections"]["tasks"]
        await cli.wire.call("DELETE", f"contents/{pack}")
        assert not await cli.exists("tasks", other["Name"])

    walk(steps)
