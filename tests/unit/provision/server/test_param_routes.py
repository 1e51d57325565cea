"""Params over HTTP: all or one, own or from elsewhere, sealed or open."""

from __future__ import annotations

import json
from base64 import b64decode

import pytest


@pytest.fixture(scope="module", params=["machines", "profiles", "stages"])
def owner(live, request):
    made = live("POST", f"/{request.param}", {"Name": "holder", "Params": {"a": 1}})
    assert made.status == 201
    return f"/{request.param}/{made.json.get('Uuid', 'holder')}"


def test_one_from_its_setting_to_its_end(live, owner):
    path = f"{owner}/params/change-stage/map"
    assert (live.get(path).status, live.get(path).body) == (200, b"null")
    assert live("POST", path, {"x": "y"}).json == {"x": "y"}
    assert live.get(path).json == {"x": "y"}
    assert live.get(f"{owner}/params").json == {"a": 1, "change-stage/map": {"x": "y"}}
    assert live.get(owner).json["Params"] == {"a": 1, "change-stage/map": {"x": "y"}}
    assert live("DELETE", path).json == {"x": "y"}
    gone = live("DELETE", path)
    assert (gone.status, gone.json) == (
        404, {"Model": "params", "Key": "change-stage/map", "Type": "DELETE", "Messages": ["Not Found"], "Code": 404},
    )  # fmt: skip


def test_all_at_once(live, owner):
    operations = [{"op": "test", "path": "", "value": {"a": 1}}, {"op": "add", "path": "/b", "value": [2]}]
    assert live("PATCH", f"{owner}/params", operations).json == {"a": 1, "b": [2]}
    assert live("PATCH", f"{owner}/params", operations).status == 409
    assert live("POST", f"{owner}/params", {"a": 1}).json == {"a": 1}
    assert live("POST", f"{owner}/params", []).status == 400


def test_from_elsewhere(live):
    assert live("POST", "/profiles/global/params/everywhere", "yes").status == 200
    machine = f"/machines/{live.machine('heir')['Uuid']}"
    assert live.get(f"{machine}/params/everywhere").json is None
    assert live.get(f"{machine}/params/everywhere?aggregate=true").json == "yes"
    assert live.get(f"{machine}/params?aggregate=true").json["everywhere"] == "yes"
    assert live.get(f"{machine}/params").json == {}
    assert live.get(f"{machine}/params?aggregate=1").status == 400


def test_of_what_has_none(live):
    assert live.get("/tasks/x/params").status == 404
    assert live.get("/machines/nobody/params").status == 404


def test_sealed_ones_are_open_only_for_who_asks_and_may(live):
    assert live("POST", "/params", {"Name": "pass", "Secure": True}).status == 201
    machine = f"/machines/{live.machine('keeper')['Uuid']}"
    assert len(b64decode(live.get(f"{machine}/pubkey").json)) == 32
    sealed = live("POST", f"{machine}/params/pass", "canary-7d1f")
    assert sealed.json.keys() == {"Key", "Nonce", "Payload"}
    shown = [live.get(path).body for path in (machine, "/machines", f"{machine}/params", f"{machine}/params/pass")]
    assert not any(b"canary-7d1f" in body for body in shown)
    assert live.get(f"{machine}/params/pass?decode=true").json == "canary-7d1f"
    for path in (
        f"{machine}?decode=true",
        "/machines?Name=keeper&decode=true",
        "/machines?decode=true&params=pass",
        f"{machine}/params?decode=true",
    ):
        assert "canary-7d1f" in json.dumps(live.get(path).json)


@pytest.mark.parametrize("body", [b"null", b""])
def test_a_param_can_be_null(live, body):
    path = f"/machines/{live.machine(f'nulled{len(body)}', Params={'k': 1})['Uuid']}/params"
    said = {"Content-Type": "application/json"}
    assert (live("POST", f"{path}/k", body, headers=said).status, live.get(f"{path}/k").body) == (200, b"null")
    assert live.get(path).json == {"k": None}
