"""Kinds that are kept for clients, and tenants, by the routes that all kinds have."""

from __future__ import annotations

import pytest

KEPT = [
    ("version_sets", "Id", {"Id": "base", "DRPVersion": "v4.8.0", "Components": [{"Name": "x"}]}),
    ("endpoints", "Id", {"Id": "remote", "VersionSets": ["base"], "HaId": "ha", "Os": "linux", "Global": {"a": 1}}),
    ("catalog_items", "Id", {"Id": "drp-v4.8.0", "ContentType": "DRP", "Shasum256": {"any/any": "ab"}, "HotFix": True}),
    ("reservations", "Addr", {"Addr": "10.0.0.7", "Token": "52:54:00:00:00:01", "Strategy": "MAC",
                              "Options": [{"Code": 3, "Value": "10.0.0.1"}]}),
    ("leases", "Addr", {"Addr": "10.0.0.8", "Token": "t", "ExpireTime": "2030-01-01T00:00:00Z"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "key", "one"), KEPT, ids=[kind for kind, _key, _one in KEPT])
def test_an_object_is_kept_found_changed_and_removed(live, kind, key, one):
    made = live("POST", f"/{kind}", one)
    assert (made.status, made.json["Available"]) == (201, True), made.body
    assert {name: made.json[name] for name in one if name != "Components"} == {
        name: value for name, value in one.items() if name != "Components"
    }
    assert live.get(f"/{kind}/{one[key]}").json == made.json
    assert live.get(f"/{kind}?{key}={one[key]}").json == [made.json]
    assert live("POST", f"/{kind}", one).status == 409
    changed = live("PATCH", f"/{kind}/{one[key]}", [{"op": "add", "path": "/Meta/color", "value": "red"}])
    assert changed.json["Meta"] == {"color": "red"}
    assert kind in live.get("/objects").json
    if kind != "version_sets":  # which the endpoint names
        assert live("DELETE", f"/{kind}/{one[key]}").status == 200
        assert live.get(f"/{kind}/{one[key]}").status == 404


def test_an_address_is_named_by_its_digits_too(live):
    live("POST", "/reservations", {"Addr": "192.168.1.1", "Token": "x", "Strategy": "MAC"})
    assert live.get("/reservations/C0A80101").json["Addr"] == "192.168.1.1"
    assert live.get("/reservations/c0a80101").json["Addr"] == "192.168.1.1"
    put = {"Addr": "192.168.1.1", "Token": "y", "Strategy": "MAC"}
    assert live("PUT", "/reservations/C0A80101", put).json["Token"] == "y"


@pytest.mark.parametrize(
    ("kind", "one", "message"),
    [
        ("reservations", {"Addr": "C0A80102"}, "Invalid Addr `C0A80102`"),
        ("reservations", {"Addr": "10.0.0.300"}, "Invalid Addr `10.0.0.300`"),
        ("reservations", {"Addr": "10.0.0.3", "NextServer": "x"}, "Invalid NextServer `x`"),
        ("leases", {"Addr": "10.0.0.3", "ExpireTime": "soon"}, "Invalid ExpireTime `soon`"),
        ("leases", {"Addr": "10.0.0.3", "ExpireTime": "2030-01-01T00:00:00"}, "Invalid ExpireTime"),
        ("tenants", {"Name": "wrong", "Members": {"cats": []}}, "Invalid kind `cats`"),
        ("endpoints", {"Id": "1"}, "Invalid Id `1`"),
    ],
)
def test_what_clients_could_not_read_is_refused(live, kind, one, message):
    refused = live("POST", f"/{kind}", one)
    assert refused.status == 422
    assert any(message in text for text in refused.json["Messages"])


def test_an_endpoint_lacks_a_version_set_that_is_not_there(live):
    made = live("POST", "/endpoints", {"Id": "lacking", "VersionSets": ["later"]})
    assert made.json["Errors"] == ["Version set later does not exist"]
    live("POST", "/version_sets", {"Id": "later"})
    assert live.get("/endpoints/lacking").json["Available"]
    assert live("DELETE", "/version_sets/later").json["Type"] == "StillInUseError"


@pytest.fixture(scope="module")
def member(live):
    """The token of a user of a tenant, who may do all to machines, and its two machines: within and without."""
    claims = [{"scope": "machines,jobs,tenants,users", "action": "*", "specific": "*"}]
    live("POST", "/roles", {"Name": "renter", "Claims": claims})
    live("POST", "/users", {"Name": "renter", "Roles": ["renter"]})
    live("PUT", "/users/renter/password", {"Password": "p"})
    own, other = live.machine("own"), live.machine("other")
    made = live("POST", "/tenants", {"Name": "flat", "Members": {"machines": [own["Uuid"]]}, "Users": ["renter"]})
    assert (made.status, made.json["Available"]) == (201, True)
    token = live.get("/users/renter/token", auth=("renter", "p")).json["Token"]
    return token, own, other


def test_users_of_a_tenant_see_its_members_alone(live, member):
    token, own, other = member
    assert [one["Uuid"] for one in live.get("/machines", token=token).json] == [own["Uuid"]]
    assert live.get("/machines/Name:own", token=token).status == 200
    assert live.get("/machines/Name:other", token=token).status == 403
    assert live("DELETE", f"/machines/{other['Uuid']}", token=token).status == 403
    assert live("POST", "/machines", {"Name": "third"}, token=token).status == 403
    assert live.get(f"/machines/{other['Uuid']}/token", token=token).status == 403
    for machine in (own, other):
        live("PATCH", f"/machines/{machine['Uuid']}", [{"op": "replace", "path": "/Stage", "value": "none"}])
    assert live.get("/users/renter", token=token).status == 200
    assert live.get("/users/renter", auth=("renter", "p"), token=None).status == 200
    assert live.get("/machines/Name:other", auth=("renter", "p"), token=None).status == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/tenants/flat", [{"op": "replace", "path": "/Users", "value": []}]),
        ("PATCH", "/tenants/flat", [{"op": "remove", "path": "/Members/machines"}]),
        ("PUT", "/tenants/flat", {"Name": "flat"}),
        ("DELETE", "/tenants/flat", None),
        ("POST", "/tenants", {"Name": "mine"}),
    ],
)
def test_only_who_may_do_everything_changes_tenants(live, member, method, path, body):
    assert live(method, path, body, token=member[0]).status == 403
    assert live.get("/tenants/flat").json["Users"] == ["renter"]


def test_a_user_in_a_tenant_is_in_use(live, member):
    assert live("DELETE", "/users/renter").json["Messages"] == ["renter is in use by tenants flat"]
