"""Pools: machines that move into them, within them and out of them."""

from __future__ import annotations

from itertools import count

import pytest

NUMBERS = count()


@pytest.fixture
def pool(live):
    """A pool of its own, with three free machines."""
    name = f"pool-{next(NUMBERS)}"
    live("POST", "/tasks", {"Name": f"{name}-t"})
    live("POST", "/stages", {"Name": f"{name}-st", "Tasks": [f"{name}-t"]})
    live("POST", "/workflows", {"Name": f"{name}-wf", "Stages": [f"{name}-st"]})
    live("POST", "/profiles", {"Name": f"{name}-used"})
    assert live("POST", "/pools", {"Id": name}).status == 201
    names = [f"{name}-{number}" for number in range(3)]
    for one in names:
        live.machine(one)
    added = live("POST", f"/pools/{name}/addMachines", {"pool/machine-list": [f"Name:{one}" for one in names]})
    assert [one["Name"] for one in added.json] == names
    return name


def machine(live, name):
    found = live.get(f"/machines/Name:{name}").json
    return found["Pool"], found["PoolStatus"], found["PoolAllocated"]


def run(live, name):
    """Run the one task of a machine."""
    job = live("POST", "/jobs", {"Machine": live.get(f"/machines/Name:{name}").json["Uuid"]})
    while job.status == 201:
        live("PATCH", f"/jobs/{job.json['Uuid']}", [{"op": "replace", "path": "/State", "value": "finished"}])
        job = live("POST", "/jobs", {"Machine": job.json["Machine"]})


def test_machines_are_allocated_and_come_back(live, pool):
    taken = live("POST", f"/pools/{pool}/allocateMachines", {"pool/count": 2}).json
    assert [(one["Allocated"], one["Status"]) for one in taken] == [(True, "InUse")] * 2
    states = {status: len(found) for status, found in live.get(f"/pools/{pool}/status").json.items()}
    assert states == {"InUse": 2, "Free": 1}
    refused = live("POST", f"/pools/{pool}/allocateMachines", {"pool/count": 2})
    assert (refused.status, refused.json["Messages"]) == (409, ["Only 1 of 2 machines are available"])
    some = live("POST", f"/pools/{pool}/allocateMachines", {"pool/count": 2, "pool/minimum": 1}).json
    assert len(some) == 1
    back = live("POST", f"/pools/{pool}/releaseMachines", {"pool/all-machines": True}).json
    assert [(one["Allocated"], one["Status"]) for one in back] == [(False, "Free")] * 3
    assert pool in live.get("/pools-active").json
    live("POST", f"/pools/{pool}/removeMachines", {"pool/all-machines": True})
    assert machine(live, f"{pool}-0") == ("default", "Free", False)
    assert pool not in live.get("/pools-active").json


def test_a_move_with_a_workflow_ends_with_it(live, pool):
    said = {
        "pool/machine-list": [f"Name:{pool}-1"],
        "pool/workflow": f"{pool}-wf",
        "pool/add-profiles": [f"{pool}-used"],
        "pool/add-parameters": {"owner": "me"},
    }
    assert live("POST", f"/pools/{pool}/allocateMachines", said).json[0]["Status"] == "Building"
    found = live.get(f"/machines/Name:{pool}-1").json
    assert (found["Workflow"], found["Profiles"], found["Params"]) == (f"{pool}-wf", [f"{pool}-used"], {"owner": "me"})
    busy = live("POST", f"/pools/{pool}/releaseMachines", {"pool/machine-list": [f"Name:{pool}-1"]})
    assert busy.status == 409
    run(live, f"{pool}-1")
    assert machine(live, f"{pool}-1") == (pool, "InUse", True)
    undo = {"pool/remove-profiles": [f"{pool}-used"], "pool/remove-parameters": ["owner"]}
    live("POST", f"/pools/{pool}/releaseMachines", undo)
    found = live.get(f"/machines/Name:{pool}-1").json
    assert (found["PoolStatus"], found["Profiles"], found["Params"]) == ("Free", [], {})


def test_what_a_pool_wants_is_done(live, pool):
    actions = {"Workflow": f"{pool}-wf", "AddProfiles": [f"{pool}-used"]}
    live("PATCH", f"/pools/{pool}", [{"op": "replace", "path": "/AllocateActions", "value": actions}])
    assert live("DELETE", f"/profiles/{pool}-used").json["Type"] == "StillInUseError"
    live("POST", f"/pools/{pool}/allocateMachines", {"pool/filter": [f"Name={pool}-2"]})
    assert machine(live, f"{pool}-2") == (pool, "Building", True)
    assert live.get(f"/machines/Name:{pool}-2").json["Profiles"] == [f"{pool}-used"]
    assert machine(live, f"{pool}-0") == (pool, "Free", False)


def test_a_pool_fills_itself_and_gives_back_what_is_too_much(live, pool):
    spare = f"{pool}-spare"
    live("POST", "/pools", {"Id": spare})
    for number in range(3):
        live.machine(f"{spare}-{number}", Pool=spare)
    fill = {"UseAutoFill": True, "MinFree": 2, "MaxFree": 3, "AcquirePool": spare, "ReturnPool": spare}
    live("PATCH", f"/pools/{pool}", [{"op": "replace", "path": "/AutoFill", "value": fill}])
    live("POST", f"/pools/{pool}/allocateMachines", {"pool/count": 3})
    assert len(live.get(f"/pools/{pool}/status").json["Free"]) == 2
    live("POST", f"/pools/{pool}/releaseMachines", {"pool/all-machines": True})
    assert len(live.get(f"/pools/{pool}/status").json["Free"]) == 3
    assert len(live.get(f"/pools/{spare}/status").json["Free"]) == 3


@pytest.mark.parametrize(
    ("move", "said", "status"),
    [
        ("allocateMachines", {"pool/wait-timeout": "30m"}, 400),
        ("allocateMachines", {"pool/count": "many"}, 400),
        ("allocateMachines", {"pool/count": -2}, 400),
        ("allocateMachines", {"pool/filter": ["Color=red=blue"], "pool/count": 1}, 409),
        ("allocateMachines", {"pool/filter": ["Runnable=perhaps"]}, 406),
        ("allocateMachines", {"pool/machine-list": ["Name:nobody"]}, 404),
        ("allocateMachines", {"pool/workflow": "nothing"}, 422),
        ("stealMachines", {}, 404),
    ],
)
def test_what_cannot_be_moves_nothing(live, pool, move, said, status):
    assert live("POST", f"/pools/{pool}/{move}", said).status == status
    assert len(live.get(f"/pools/{pool}/status").json["Free"]) == 3


def test_who_may_move_is_said_by_claims_on_pools(live, pool):
    token = live.get(f"/users/rocketskates/token?scope=pools&action=allocateMachines&specific={pool}").json["Token"]
    assert live("POST", f"/pools/{pool}/allocateMachines", {}, token=token).status == 200
    assert live("POST", f"/pools/{pool}/releaseMachines", {}, token=token).status == 403
    assert live("POST", "/pools/default/allocateMachines", {}, token=token).status == 403
