"""What the server says of itself, and by what objects are looked up."""

from __future__ import annotations

from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.service.indexes import index_of, indexes, indexes_of
from ansible_ensemble.provision.service.info import info
from tests.unit.provision.service.world import World, refusal


def test_info(world: World) -> None:
    world.create("machines", Name="m1")
    said = plain(
        world.read(
            info,
            version="v1",
            id="one",
            address="127.0.0.1",
            hostname="host",
            port=8092,
            file_port=8091,
            scopes={"jobs": {"get": {}}},
        )
    )
    assert said["stats"] == [{"name": "machines.count", "count": 1}, {"name": "jobs.count", "count": 0}]
    assert (said["version"], said["api_port"], said["scopes"]) == ("v1", 8092, {"jobs": {"get": {}}})
    assert (said["file_port"], said["secure_file_port"]) == (8091, 8092)
    assert {"selective-job-purge", "sane-exit-codes"} <= {*said["features"]}
    assert {"License", "ClusterState", "tftp_enabled", "ha_passive_state"} <= said.keys()


def test_indexes() -> None:
    name = {"Type": "string", "Unique": True, "Unordered": False, "Regex": True}
    assert plain(indexes_of("machines")["Name"]) == plain(indexes_of("machines")["Key"]) == name
    assert plain(index_of("machines", "Runnable")) == {
        "Type": "boolean",
        "Unique": False,
        "Unordered": False,
        "Regex": False,
    }
    assert index_of("machines", "Tasks").unordered
    assert {"machines", "jobs", "users"} <= indexes().keys()
    with refusal(404, "GET", "Not Found", model="indexes", key="machines/Color"):
        index_of("machines", "Color")
    with refusal(404, "GET", "Not Found", model="cats"):
        indexes_of("cats")
