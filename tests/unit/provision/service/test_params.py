"""Params of machines, profiles and stages."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from nacl.public import Box, PrivateKey, PublicKey
from nacl.utils import random

from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import params
from tests.unit.provision.service.world import World, body, refusal

UUID = "3e7031fe-3062-45f1-835c-92541bc9cbd3"
SECRET = "correct horse"


@pytest.fixture
def machine(world: World) -> World:
    world.create("params", Name="size", Schema={"type": "integer", "default": 3})
    world.create("params", Name="password", Secure=True, Schema={"type": "string"})
    world.create("profiles", Name="p1", Params={"a": {"x": 1}, "b": "profile"})
    world.create("machines", Name="m1", Uuid=UUID, Profiles=["p1"], Params={"a": {"y": 2}, "own": [1]})
    world.events()
    return world


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"a": {"y": 2}, "own": [1]}),
        ({"aggregate": True}, {"a": {"y": 2}, "b": "profile", "own": [1]}),
        ({"compose": True}, {"a": {"x": 1, "y": 2}, "b": "profile", "own": [1]}),
    ],
)
def test_all_params(machine: World, options: Any, expected: Any) -> None:
    assert machine.read(params.show_params, "machines", "Name:m1", **options) == expected


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("a", {}, {"y": 2}),
        ("a", {"aggregate": True}, {"y": 2}),
        ("a", {"compose": True}, {"x": 1, "y": 2}),
        ("b", {}, None),
        ("b", {"aggregate": True}, "profile"),
        ("size", {}, None),
        ("size", {"aggregate": True}, 3),
        ("change-stage/map", {"aggregate": True}, None),
    ],
)
def test_one_param(machine: World, name: str, options: Any, expected: Any) -> None:
    assert machine.read(params.show_param, "machines", UUID, name, **options) == expected


def test_a_param_is_set(machine: World) -> None:
    assert machine.write(params.set_param, "machines", UUID, "change-stage/map", b'{"a": "b"}') == {"a": "b"}
    assert machine.events() == [f"machines.update.{UUID}"]
    assert machine.write(params.set_param, "machines", UUID, "change-stage/map", b"null") is None
    assert machine.show("machines", UUID).params == {"a": {"y": 2}, "own": [1], "change-stage/map": None}
    machine.events()
    assert machine.write(params.set_param, "machines", UUID, "own", b"[1]") == [1]
    assert machine.events() == []
    assert machine.write(params.set_param, "machines", UUID, "own", b"[true]") == [True]
    assert machine.events() == [f"machines.update.{UUID}"]


def test_all_params_are_replaced(machine: World) -> None:
    assert machine.write(params.set_params, "profiles", "p1", b'{"c": 1}') == {"c": 1}
    assert machine.show("profiles", "p1").params == {"c": 1}
    for text in (b"[]", b"null", b"1", b"{"):
        with pytest.raises(Refused) as refused:
            machine.write(params.set_params, "profiles", "p1", text)
        assert (refused.value.error.code, refused.value.error.type) == (400, "POST")


def test_params_are_patched(machine: World) -> None:
    add = {"op": "add", "path": "/k~1l", "value": 1}
    operations = [{"op": "test", "path": "", "value": {"a": {"y": 2}, "own": [1]}}, add]
    assert machine.write(params.patch_params, "machines", UUID, body(operations))["k/l"] == 1
    shown = [{**operations[0], "value": "(hidden)"}, add]
    messages = "Patch error at line 0: Test op failed.", f"Patch: {json.dumps(shown, indent=2)}"
    with refusal(409, "PATCH", *messages, model="machines", key=UUID):
        machine.write(params.patch_params, "machines", UUID, body(operations))
    with refusal(406, "PATCH", "Params are a map", model="machines", key=UUID):
        machine.write(params.patch_params, "machines", UUID, b'[{"op": "replace", "path": "", "value": []}]')


def test_a_param_is_removed(machine: World) -> None:
    assert machine.write(params.remove_param, "machines", UUID, "own") == [1]
    with refusal(404, "DELETE", "Not Found", model="params", key="own"):
        machine.write(params.remove_param, "machines", UUID, "own")
    with refusal(404, "DELETE", "Not Found", model="machines", key="x"):
        machine.write(params.remove_param, "machines", "x", "own")


def test_a_value_that_does_not_fit(machine: World) -> None:
    message = "Key 'size': invalid val '[5]': [5] is not of type 'integer'"
    with refusal(422, "POST", message, model="machines", key=UUID):
        machine.write(params.set_param, "machines", UUID, "size", b"[5]")
    with refusal(422, "POST", message, model="machines", key=UUID):
        machine.write(params.set_params, "machines", UUID, b'{"size": [5]}')
    with refusal(422, "PATCH", message, model="machines", key=UUID):
        machine.write(params.patch_params, "machines", UUID, b'[{"op": "add", "path": "/size", "value": [5]}]')
    with refusal(422, "ValidationError", message):
        machine.set("machines", UUID, Params={"size": [5]})


def test_kinds_without_params(machine: World) -> None:
    with refusal(404, "GET", "Not Found", model="tasks", key="t"):
        machine.read(params.show_params, "tasks", "t")
    with refusal(404, "POST", "Not Found", model="bootenvs", key="local"):
        machine.write(params.set_param, "bootenvs", "local", "a", b"1")


def test_protected_objects(machine: World) -> None:
    with refusal(403, "POST", "stages local is read-only", model="stages", key="local"):
        machine.write(params.set_param, "stages", "local", "a", b"1")
    machine.set("machines", UUID, Locked=True)
    with refusal(403, "DELETE", "Locked", model="machines", key=UUID):
        machine.write(params.remove_param, "machines", UUID, "own")


def _sealed(public: str, value: Any) -> dict[str, str]:
    """A value as clients seal it."""
    mine, nonce = PrivateKey.generate(), random(Box.NONCE_SIZE)
    payload = Box(mine, PublicKey(b64decode(public))).encrypt(json.dumps(value).encode(), nonce).ciphertext
    parts = {"Key": bytes(mine.public_key), "Nonce": nonce, "Payload": payload}
    return {name: b64encode(part).decode() for name, part in parts.items()}


def _show(world: World, **options: Any) -> Any:
    return world.read(params.show_param, "machines", UUID, "password", **options)


def test_a_secure_param_that_comes_sealed(machine: World) -> None:
    public = machine.write(params.public_key, "machines", "Name:m1")
    assert len(b64decode(public)) == 32
    assert machine.write(params.public_key, "machines", UUID) == public
    assert machine.write(params.public_key, "profiles", "p1") != public
    sealed = _sealed(public, SECRET)
    assert machine.write(params.set_param, "machines", UUID, "password", body(sealed)) == sealed
    assert _show(machine) == sealed
    assert _show(machine, decode=True) == _show(machine, decode=True, aggregate=True) == SECRET
    assert machine.read(params.show_params, "machines", UUID, decode=True)["password"] == SECRET
    assert machine.read(params.show_params, "machines", UUID)["password"] == sealed


def test_a_secure_param_that_comes_plain_is_sealed(machine: World) -> None:
    kept = machine.write(params.set_param, "machines", UUID, "password", body(SECRET))
    assert kept.keys() == {"Key", "Nonce", "Payload"}
    assert machine.show("machines", UUID).params["password"] == kept
    assert _show(machine, decode=True) == SECRET
    assert SECRET.encode() not in encode(machine.whole_events())


@pytest.mark.parametrize("prefix", ["machines", "profiles", "stages"])
def test_secure_params_are_sealed_however_they_come(machine: World, prefix: str) -> None:
    made = machine.create(prefix, Name="other", Params={"password": SECRET})
    changed = machine.set(prefix, made.key, Params={"password": SECRET + "2"})
    assert made.params["password"].keys() == changed.params["password"].keys() == {"Key", "Nonce", "Payload"}
    shown = machine.read(params.show_param, prefix, made.key, "password", decode=True)
    assert shown == SECRET + "2"
    assert SECRET.encode() not in encode(machine.whole_events())


def test_a_param_that_becomes_secure_is_sealed_where_it_is_set(machine: World) -> None:
    machine.create("params", Name="own", Schema={"type": "array"})
    machine.set("params", "own", Secure=True)
    assert machine.show("machines", UUID).params["own"].keys() == {"Key", "Nonce", "Payload"}
    assert machine.read(params.show_param, "machines", UUID, "own", decode=True) == [1]


def test_a_param_stays_secure_while_values_of_it_are_sealed(machine: World) -> None:
    machine.write(params.set_param, "machines", UUID, "password", body(SECRET))
    message = f"password: Values are sealed in 1 objects, among them machines/{UUID}"
    with refusal(422, "ValidationError", message, model="params", key="password"):
        machine.set("params", "password", Secure=False)
    machine.write(params.remove_param, "machines", UUID, "password")
    assert not machine.set("params", "password", Secure=False).secure


def test_secure_values_that_do_not_fit_are_not_repeated(machine: World) -> None:
    message = "Key 'password': invalid val of a secure param"
    with refusal(422, "POST", message, model="machines", key=UUID):
        machine.write(params.set_param, "machines", UUID, "password", body([SECRET]))
    sealed = _sealed(machine.write(params.public_key, "machines", UUID), [SECRET])
    with refusal(422, "ValidationError", message, model="machines", key=UUID):
        machine.write(params.set_param, "machines", UUID, "password", body(sealed))


def test_values_sealed_for_another_object_are_refused(machine: World) -> None:
    public = machine.write(params.public_key, "profiles", "p1")
    broken = {"Key": "", "Nonce": "", "Payload": ""}
    for sealed in (_sealed(public, SECRET), broken, {**_sealed(public, SECRET), "Key": 1}):
        with refusal(422, "ValidationError", "Key 'password': not sealed for this object", model="machines"):
            machine.write(params.set_param, "machines", UUID, "password", body(sealed))


def test_failed_patches_do_not_repeat_secure_values(machine: World) -> None:
    operations = [{"op": "test", "path": "/password", "value": SECRET}]
    with pytest.raises(Refused) as refused:
        machine.write(params.patch_params, "machines", UUID, body(operations))
    assert SECRET not in str(refused.value)
    for path in ("/Params/password", "/Params", "/Secret", ""):
        with pytest.raises(Refused) as refused:
            machine.patch("machines", UUID, {"op": "test", "path": path, "value": SECRET})
        assert SECRET not in str(refused.value)


def test_the_key_of_a_removed_object_is_forgotten(machine: World) -> None:
    public = machine.write(params.public_key, "machines", UUID)
    machine.remove("machines", UUID)
    machine.create("machines", Name="m1", Uuid=UUID)
    assert machine.write(params.public_key, "machines", UUID) != public


def test_an_object_does_not_grow_without_end_by_many_requests(machine: World) -> None:
    value = body("x" * 6 * 2**20)
    for name in ("first", "second"):
        machine.write(params.set_param, "machines", UUID, name, value)
    with refusal(413, "PATCH", "Object too large", model="machines", key=UUID):
        machine.write(params.set_param, "machines", UUID, "third", value)
    assert machine.read(params.show_params, "machines", UUID).keys() == {"a", "own", "first", "second"}
