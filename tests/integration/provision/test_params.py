"""Params of machines, stages and profiles: setting, looking up, sealing."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from nacl.public import Box, PrivateKey, PublicKey
from nacl.utils import random

from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Refusal

VALUES: list[Any] = ["text", "", 0, 1, True, False, [], {}, [1, "a", None], {"a": {"b": [True]}}, 1.5, "ünïcödé 🐟"]


@pytest.mark.parametrize("prefix", ["machines", "profiles", "stages"])
def test_params_are_set_and_removed(walk: Walking, prefix: str) -> None:
    async def steps(walk: Walk) -> None:
        cli = walk.cli
        made = await cli.create(prefix, {"Name": walk.name("o")})
        key = made.get("Uuid") or made["Name"]
        assert await cli.get_param(prefix, key, "free/of/form") is None
        for value in VALUES:
            assert json.dumps(await cli.set_param(prefix, key, "free/of/form", value)) == json.dumps(value)
            assert json.dumps(await cli.get_param(prefix, key, "free/of/form")) == json.dumps(value)
        await cli.add_param(prefix, key, "other", 1)
        assert await cli.params(prefix, key) == {"free/of/form": VALUES[-1], "other": 1}
        assert await cli.remove_param(prefix, key, "other") == 1
        with pytest.raises(Refusal) as missing:
            await cli.remove_param(prefix, key, "other")
        assert missing.value.error == {
            "Type": "DELETE",
            "Model": "params",
            "Key": "other",
            "Messages": ["Not Found"],
            "Code": 404,
        }
        assert await cli.set_params(prefix, key, {"all": 1}) == {"all": 1}
        assert (await cli.show(prefix, key))["Params"] == {"all": 1}

    walk(steps)


def test_where_a_param_comes_from(walk: Walking) -> None:
    """Machine, its profiles in order, stage, its profiles, the definition's default; each is taken away in turn."""

    async def steps(walk: Walk) -> None:
        cli, param = walk.cli, walk.name("p")
        await cli.create("params", {"Name": param, "Schema": {"type": "string", "default": "default"}})
        for profile in ("of-machine", "of-machine-too", "of-stage"):
            await cli.create("profiles", {"Name": walk.name(profile), "Params": {param: profile}})
        await walk.stage("stage", Params={param: "stage"}, Profiles=[walk.name("of-stage")])
        profiles = [walk.name("of-machine"), walk.name("of-machine-too")]
        machine = await walk.machine("m", Profiles=profiles, Params={param: "machine"}, Stage=walk.name("stage"))
        uuid = machine["Uuid"]

        async def aggregated() -> Any:
            value = await cli.get_param("machines", uuid, param, "?aggregate=true")
            assert (await cli.params("machines", uuid, "?aggregate=true")).get(param, "default") == value
            return value

        assert await aggregated() == "machine"
        await cli.remove_param("machines", uuid, param)
        assert await cli.get_param("machines", uuid, param) is None
        assert await aggregated() == "of-machine"
        await cli.machine_field(uuid, Profiles=profiles[1:])
        assert await aggregated() == "of-machine-too"
        await cli.machine_field(uuid, Profiles=[])
        assert await aggregated() == "stage"
        await cli.remove_param("stages", walk.name("stage"), param)
        assert await aggregated() == "of-stage"
        await cli.remove_param("profiles", walk.name("of-stage"), param)
        assert await aggregated() == "default"

    walk(steps)


def test_params_are_composed(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.cli.create("profiles", {"Name": walk.name("p"), "Params": {"map": {"b": 2}, "list": [2]}})
        machine = await walk.machine("m", Profiles=[walk.name("p")], Params={"map": {"a": 1}, "list": [1]})
        query = "?aggregate=true&compose=true"
        assert await walk.cli.get_param("machines", machine["Uuid"], "map", query) == {"a": 1, "b": 2}
        assert await walk.cli.get_param("machines", machine["Uuid"], "list", query) == [1, 2]

    walk(steps)


def test_a_value_that_its_definition_refuses(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        param = walk.name("number")
        await walk.cli.create("params", {"Name": param, "Schema": {"type": "integer"}})
        machine = await walk.machine("m")
        with pytest.raises(Refusal) as refused:
            await walk.cli.set_param("machines", machine["Uuid"], param, "five")
        assert param in refused.value.messages[0]
        assert await walk.cli.set_param("machines", machine["Uuid"], param, 5) == 5

    walk(steps)


def test_a_sealed_value_is_opened_only_where_it_is_asked_for(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli, param = walk.cli, walk.name("secret")
        await cli.create("params", {"Name": param, "Secure": True, "Schema": {"type": "string"}})
        machine = await walk.machine("m")
        uuid = machine["Uuid"]
        sealed = _sealed(await cli.public_key("machines", uuid), "hunter2")
        await cli.wire.call("POST", f"machines/{uuid}/params/{param}", sealed)
        assert "hunter2" not in json.dumps(await cli.show("machines", uuid))
        assert "hunter2" not in json.dumps(await cli.get_param("machines", uuid, param))
        assert await cli.get_param("machines", uuid, param, "?decode=true") == "hunter2"
        with pytest.raises(Refusal):
            await cli.wire.call("POST", f"machines/{uuid}/params/{param}", {**sealed, "Payload": sealed["Key"]})

    walk(steps)


def _sealed(public_key: str, value: Any) -> dict[str, str]:
    """A value as only its owner reads it: by a box between a key made for it and the owner's."""
    own, nonce = PrivateKey.generate(), random(Box.NONCE_SIZE)
    box = Box(own, PublicKey(base64.b64decode(public_key)))
    payload = box.encrypt(json.dumps(value).encode(), nonce).ciphertext
    parts = {"Key": bytes(own.public_key), "Nonce": nonce, "Payload": payload}
    return {name: base64.b64encode(part).decode() for name, part in parts.items()}
