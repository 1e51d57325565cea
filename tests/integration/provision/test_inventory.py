"""Machines as hosts, and their params by a lookup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.objects import Machine, Param, Profile, Stage, Workflow
from tests.integration.provision.controller import Controller, documentation
from tests.integration.provision.lasting import Lasting

SECRET = "hush-hush"


async def fill(client: Client) -> None:
    for made in (
        Param(name="bmc/password", secure=True),
        Param(name="raid", schema={"type": "string", "default": "mirror"}),
        Profile(name="rack-1", params={"disk": "/dev/sda", "bmc/password": SECRET, "note": "{{ not_rendered }}"}),
        Stage(name="prepare", params={"disk": "/dev/sdz", "speed": 10}),
        Workflow(name="install", stages=["prepare"]),
        Machine(name="web1", address="192.0.2.11", profiles=["rack-1"], workflow="install", pool="web",
                params={"a-b": 1, "a/b": 2, "port": 3, "dns/servers": ["192.0.2.1"]}),
        Machine(name="web2", params={"disk": "/dev/vda"}, locked=True),
    ):  # fmt: skip
        await client.create(made)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lasting]:
    made = Lasting(tmp_path_factory.mktemp("server"))
    run(Controller(made, made.folder, made.folder).settings, fill)
    yield made
    assert made.stop() == 0


@pytest.fixture
def controller(server: Lasting, tmp_path: Path, collections: Path) -> Controller:
    return Controller(server, tmp_path, collections)


def listed(controller: Controller, **said: Any) -> dict[str, Any]:
    source = {"plugin": "tosca.ensemble.provision", "ca_file": controller.ca_file, **said}
    (controller.folder / "provision.yml").write_text(yaml.safe_dump(source))
    ended = controller.command("ansible-inventory", "-i", "provision.yml", "--list")
    assert ended.code == 0, ended.output
    assert "reserved" not in ended.output
    found: dict[str, Any] = json.JSONDecoder().raw_decode(ended.output[ended.output.index("{") :])[0]
    return found


def test_machines_are_hosts_in_groups_with_their_params(controller: Controller) -> None:
    found = listed(controller)
    web1 = found["_meta"]["hostvars"]["web1"]
    machine, params = web1.pop("provision_machine"), web1.pop("provision_params")
    assert web1 == {
        "ansible_host": "192.0.2.11",
        "disk": "/dev/sda",
        "dns_servers": ["192.0.2.1"],
        "note": {"__ansible_unsafe": "{{ not_rendered }}"},
        "speed": 10,
    }
    assert {name: params[name] for name in ("a-b", "a/b", "port")} == {"a-b": 1, "a/b": 2, "port": 3}
    assert "bmc/password" not in params
    assert machine["Workflow"] == "install"
    assert "Secret" not in machine
    groups = {name: group.get("hosts") for name, group in found.items() if name not in ("_meta", "all")}
    assert groups == {
        "bootenv_local": ["web1", "web2"],
        "complete": ["web2"],
        "pool_default": ["web2"],
        "pool_web": ["web1"],
        "profile_rack_1": ["web1"],
        "runnable": ["web1", "web2"],
        "stage_none": ["web2"],
        "stage_prepare": ["web1"],
        "workflow_install": ["web1"],
    }
    assert "ansible_host" not in found["_meta"]["hostvars"]["web2"]


@pytest.mark.parametrize(
    ("said", "params"),
    [
        ({"params": "own"}, {"a-b", "a/b", "port", "dns/servers"}),
        ({"params": "none"}, set()),
        ({"secure": True}, {"a-b", "a/b", "port", "dns/servers", "disk", "note", "speed", "bmc/password"}),
    ],
)
def test_which_params_are_variables_can_be_said(controller: Controller, said: Any, params: set[str]) -> None:
    found = listed(controller, filters={"Name": ["web1", "web3"]}, **said)["_meta"]["hostvars"]
    assert set(found) == {"web1"}
    assert set(found["web1"]["provision_params"]) == params
    assert found["web1"]["provision_params"].get("bmc/password", SECRET) == SECRET


def test_what_is_cached_is_not_asked_for_and_no_secret_is(controller: Controller) -> None:
    kept = controller.folder / "kept"
    cache = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(kept)}
    first = listed(controller, **cache)
    controller.environment["RS_KEY"] = "nobody:nothing"
    assert listed(controller, **cache) == first
    assert SECRET not in "".join(file.read_text() for file in kept.iterdir())
    for file in kept.iterdir():
        file.unlink()
    controller.environment["RS_KEY"] = "rocketskates:r0cketsk8ts"
    listed(controller, **cache, secure=True)
    assert not list(kept.iterdir())


def test_the_examples_of_the_inventory_are_read(controller: Controller, repository: Path) -> None:
    text = documentation(repository / "plugins" / "inventory" / "provision.py").EXAMPLES
    source = yaml.safe_load(text.replace("https://provision.example:8092", controller.server.endpoint))
    first = listed(controller, plugin=source["plugin"], endpoint=source["endpoint"])
    second = listed(controller, **source)
    assert set(first["_meta"]["hostvars"]) == {"web1", "web2"}
    assert second["_meta"]["hostvars"]["web1"]["ansible_user"] == "admin"
    assert second["arch_amd64"]["hosts"] == ["web1"]


def test_a_server_that_refuses_is_one_message(controller: Controller) -> None:
    controller.environment["RS_KEY"] = "nobody:nothing"
    (controller.folder / "provision.yml").write_text(
        yaml.safe_dump({"plugin": "tosca.ensemble.provision", "ca_file": controller.ca_file})
    )
    ended = controller.command("ansible-inventory", "-i", "provision.yml", "--list")
    assert "Access Denied" in ended.output
    assert "Traceback" not in ended.output


# --- the lookup ---


def look_up(controller: Controller, *terms: str, **said: Any) -> Any:
    words = {"ca_file": controller.ca_file, **said}
    call = ", ".join([*(repr(term) for term in terms), *(f"{name}={value!r}" for name, value in words.items())])
    message = f"{{{{ query('tosca.ensemble.provision_param', {call}) }}}}"
    ended = controller.play([{"name": "it", "ansible.builtin.debug": {"msg": message}}])
    assert "Traceback" not in ended.output
    return ended["it"].get("msg")


@pytest.mark.parametrize(
    ("terms", "said", "found"),
    [
        (["disk", "speed"], {"machine": "web1"}, ["/dev/sda", 10]),
        (["disk"], {"machine": "web2"}, ["/dev/vda"]),
        (["raid"], {"machine": "web2"}, ["mirror"]),
        (["note"], {"machine": "web1"}, ["{{ not_rendered }}"]),
        (["disk"], {"machine": "web1", "aggregate": False, "default": "none"}, ["none"]),
        (["bmc/password"], {"machine": "web1", "secure": True}, [SECRET]),
    ],
)
def test_a_value_is_found(controller: Controller, terms: list[str], said: Any, found: list[Any]) -> None:
    assert look_up(controller, *terms, **said) == found


@pytest.mark.parametrize(
    ("terms", "said", "message"),
    [
        (["disc"], {"machine": "web1"}, "machine web1 has no param disc"),
        (["disk"], {"machine": "web9"}, "Not Found"),
        (["disk"], {}, "machines/Name:localhost: Not Found"),
        (["bmc/password"], {"machine": "web1"}, "param bmc/password of machine web1 is secure (ask for it with secure"),
    ],
)
def test_what_is_not_found_is_said(controller: Controller, terms: list[str], said: Any, message: str) -> None:
    assert message in look_up(controller, *terms, **said)


def test_the_examples_of_the_lookup_run(controller: Controller, repository: Path) -> None:
    text = documentation(repository / "plugins" / "lookup" / "provision_param.py").EXAMPLES
    ended = controller.play(text.replace("machine='web1'", f"machine='web1', ca_file='{controller.ca_file}'"))
    assert ended.code == 0, ended.output
    assert ended["Say where it is installed"]["msg"] == "/dev/sda"
    assert ended["With a default"]["msg"] == "none"
    assert SECRET not in ended.output
