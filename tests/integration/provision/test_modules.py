"""The modules of the collection against a server: once, again, in check mode, with diff, and as documented."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.provision.controller import Agents, Controller, documentation
from tests.integration.provision.lasting import Lasting

CONTENT = """
- tosca.ensemble.provision_object:
    kind: "{{ item.kind }}"
    name: "{{ item.name }}"
    object: "{{ item.object }}"
  loop:
    - {kind: params, name: bmc/password, object: {Secure: true}}
    - {kind: tasks, name: partition, object: {}}
    - {kind: tasks, name: breaking, object: {}}
    - {kind: stages, name: prepare, object: {Tasks: [partition]}}
    - {kind: stages, name: break, object: {Tasks: [partition, breaking]}}
    - {kind: workflows, name: install, object: {Stages: [prepare]}}
    - {kind: workflows, name: broken, object: {Stages: [break]}}
    - {kind: profiles, name: rack-1, object: {Params: {disk: /dev/sda}}}
"""
SECRET = "hush-hush"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lasting]:
    made = Lasting(tmp_path_factory.mktemp("server"))
    yield made
    assert made.stop() == 0
    assert made.complaints == []


@pytest.fixture(scope="module")
def _content(server: Lasting, tmp_path_factory: pytest.TempPathFactory, collections: Path) -> None:
    ended = Controller(server, tmp_path_factory.mktemp("content"), collections).play(CONTENT)
    assert ended.code == 0, ended.output


@pytest.fixture
def controller(server: Lasting, tmp_path: Path, collections: Path, _content: None) -> Controller:
    return Controller(server, tmp_path, collections)


def machine(name: str, **said: Any) -> dict[str, Any]:
    return {"name": "it", "tosca.ensemble.provision_machine": {"name": name, **said}}


def param(**said: Any) -> dict[str, Any]:
    return {"tosca.ensemble.provision_param": {"name": "bmc/password", **said}}


def test_check_mode_says_what_happens_and_the_second_run_changes_nothing(controller: Controller) -> None:
    task = machine("idem", params={"bmc/password": SECRET, "disk": "/dev/vda"}, workflow="install", pool="spare")
    predicted = controller.play([task], "--check", "--diff")["it"]
    happened = controller.play([task], "--diff", "-vvv")
    again = controller.play([task], "--check", "--diff")["it"]
    assert predicted["changed"]
    assert not again["changed"]
    assert {**predicted["machine"], "Uuid": ""} == {**happened["it"]["machine"], "Uuid": ""}
    assert predicted["diff"]["after"].keys() == happened["it"]["diff"]["after"].keys()
    assert again["machine"] == happened["it"]["machine"]
    assert happened["it"]["machine"]["Params"] == {"bmc/password": "(hidden)", "disk": "/dev/vda"}
    assert SECRET not in happened.output
    assert '"Params": {' in happened.output, "the diff is printed"


def test_each_host_makes_its_machine_from_the_controller(controller: Controller) -> None:
    hosts = [f"node{number}" for number in range(8)]
    inventory = "".join(f"{host} ansible_host=192.0.2.1{number}\n" for number, host in enumerate(hosts))
    task = machine("{{ inventory_hostname }}", address="{{ ansible_host }}")
    ended = controller.play([task], hosts="all", inventory=inventory)
    assert ended.code == 0, ended.output
    assert [one["changed"] for one in ended.of("it")] == [True] * 8
    assert sorted(one["machine"]["Address"] for one in ended.of("it")) == [f"192.0.2.1{n}" for n in range(8)]
    assert not list((controller.folder / "home").rglob("provision-*")), "the login is gone with the run"


def test_defaults_of_the_group_and_the_environment_say_where_the_server_is(controller: Controller) -> None:
    controller.defaults = {}
    tasks = [machine("by-environment", ca_file=controller.ca_file)]
    assert controller.play(tasks, "--check")["it"]["changed"]
    controller.environment["RS_KEY"] = "rocketskates:wrong"
    refused = controller.play(tasks, "--check", "-vvv")
    assert refused.code == 2
    assert "Access Denied" in refused["it"]["msg"]
    assert "rocketskates:wrong" not in refused.output


def test_secrets_are_told_by_nobody(controller: Controller) -> None:
    tasks = [
        machine("owner"),
        {
            "name": "set",
            "tosca.ensemble.provision_param": {"machine": "owner", "name": "bmc/password", "value": SECRET},
        },
        {"name": "other", "tosca.ensemble.provision_param": {"machine": "owner", "name": "bmc/password", "value": "x"}},
        {"name": "show", "tosca.ensemble.provision_info": {"name": "owner", "aggregate": True}},
        {"name": "wrong", **param(stage="no", value=SECRET)},
    ]
    ended = controller.play(tasks, "-vvvv", "--diff")
    assert "stages: there is no no" in ended["wrong"]["msg"]
    assert SECRET not in ended.output
    assert ended["set"]["value"] == "(hidden)"
    assert ended["other"]["diff"] == {
        "before": {"bmc/password": "(hidden)"},
        "after": {"bmc/password": "(hidden, changed)"},
    }
    assert ended["show"]["objects"][0]["Params"] == {"bmc/password": "(hidden)"}


def test_a_failed_job_fails_the_task_with_its_last_lines(controller: Controller) -> None:
    task = {
        "name": "it",
        "tosca.ensemble.provision_workflow": {"machines": ["good", "bad"], "workflow": "broken", "timeout": 600},
    }
    with Agents(controller.settings, {"breaking": "the disk is full"}):
        ended = controller.play([machine("good"), machine("bad"), task])
    found = ended["it"]
    assert ended.code == 2
    assert "bad: 2/2 breaking failed\n" in found["msg"]
    assert found["msg"].endswith("the disk is full")
    assert [one["log"][-1] for one in found["machines"]] == ["the disk is full"] * 2
    assert "good: 2/2 breaking running" in ended.output or "good: 2/2 breaking failed" in ended.output


def test_a_wait_that_is_too_short_says_where_the_machine_is(controller: Controller) -> None:
    run = {"name": "it", "tosca.ensemble.provision_workflow": {"name": "slow", "workflow": "install", "timeout": 0}}
    ended = controller.play([machine("slow"), run])
    assert "slow: not through within 0 seconds: 0/1 waiting" in ended["it"]["msg"]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"tosca.ensemble.provision_machine": {"name": "x", "workflow": "none"}}, "Workflow none does not exist"),
        ({"tosca.ensemble.provision_object": {"kind": "tasks", "name": "x", "object": {"Tempaltes": []}}}, "Templates"),
        ({"tosca.ensemble.provision_workflow": {"name": "nobody"}}, "machines: there is no nobody"),
        ({"tosca.ensemble.provision_machine": {"name": "x", "endpoint": "nowhere"}}, "it is https://HOST:PORT"),
        ({"tosca.ensemble.provision_param": {"name": "a", "value": 1}}, "one of the following is required"),
    ],
)
def test_what_is_wrong_is_one_message(controller: Controller, task: dict[str, Any], message: str) -> None:
    ended = controller.play([{"name": "it", **task}], "--check")
    assert message in ended["it"]["msg"]
    assert "Traceback" not in ended.output


def user(password: str, **said: Any) -> list[dict[str, Any]]:
    return [{"name": "it", "tosca.ensemble.provision_user": {"name": "ann", "password": password, **said}}]


def test_a_password_is_set_if_it_is_another_one(controller: Controller) -> None:
    always = {"update_password": "always", "roles": ["superuser"]}
    wanted = (
        (SECRET, {}, True),
        ("other-secret", {}, False),
        ("other-secret", always, True),
        ("other-secret", always, False),
    )
    for password, said, changed in wanted:
        predicted = controller.play(user(password, **said), "--check", "--diff")
        happened = controller.play(user(password, **said), "--diff", "-vvv")
        assert (predicted["it"]["changed"], happened["it"]["changed"]) == (changed, changed)
        assert password not in predicted.output + happened.output
    controller.defaults["group/tosca.ensemble.provision"]["key"] = "ann:other-secret"
    own = [*user("third-secret", **always), *user("third-secret", **always)]
    assert [one["changed"] for one in controller.play(own[:1]).of("it")] == [True]
    controller.defaults["group/tosca.ensemble.provision"]["key"] = "ann:third-secret"
    assert [one["changed"] for one in controller.play(own).of("it")] == [False, False]


def bundle(**sections: Any) -> dict[str, Any]:
    return {"meta": {"Name": "pack"}, "sections": sections}


def test_a_pack_is_loaded_once_and_replaced_as_a_whole(controller: Controller) -> None:
    first = {"name": "it", "tosca.ensemble.provision_content": {"bundle": bundle(profiles={"one": {"Name": "one"}})}}
    other = {"name": "it", "tosca.ensemble.provision_content": {"bundle": bundle(profiles={"two": {"Name": "two"}})}}
    gone = {"name": "it", "tosca.ensemble.provision_content": {"name": "pack", "state": "absent"}}
    for task, changed in ((first, True), (first, False), (other, True), (gone, True), (gone, False)):
        predicted = controller.play([task], "--check", "--diff")["it"]
        happened = controller.play([task], "--diff")["it"]
        names = ("changed", "name", "sections", "diff")
        assert [predicted[name] for name in names] == [happened[name] for name in names]
        assert happened["changed"] is changed
        assert bool(happened["diff"]["prepared"]) is changed


def test_a_pack_in_use_is_not_removed_and_its_check_says_so(controller: Controller) -> None:
    tasks = [
        {"name": "load", "tosca.ensemble.provision_content": {"bundle": bundle(profiles={"used": {"Name": "used"}})}},
        machine("user-of-it", profiles=["used"]),
    ]
    assert controller.play(tasks).code == 0
    gone = {"name": "gone", "tosca.ensemble.provision_content": {"name": "pack", "state": "absent"}}
    told = [controller.play([gone], *words)["gone"]["msg"] for words in (["--check"], [])]
    assert told[0] == told[1]
    assert "used is in use by machines user-of-it" in told[0]


def test_what_is_wrong_in_a_pack_is_told_with_its_place(controller: Controller) -> None:
    folder = controller.folder / "broken"
    (folder / "tasks").mkdir(parents=True)
    (folder / "meta.yaml").write_text("Name: broken\n")
    (folder / "tasks" / "a.yaml").write_text("Name: aa\nTemplates:\n  - Name: run\n    Contents: '{{ if }}'\n")
    told = controller.play([{"name": "it", "tosca.ensemble.provision_content": {"src": str(folder)}}])["it"]["msg"]
    assert "tasks/a.yaml:4" in told
    wrong = bundle(tasks={"aa": {"Name": "aa", "Templates": [{"Name": "run", "Contents": "{{ '{{' }} if }}"}]}})
    told = controller.play([{"name": "it", "tosca.ensemble.provision_content": {"bundle": wrong}}])["it"]["msg"]
    assert "tasks/aa" in told
    assert "/tmp" not in told


# --- the documentation ---

MODULES = (
    "provision_content",
    "provision_machine",
    "provision_object",
    "provision_param",
    "provision_token",
    "provision_user",
    "provision_workflow",
    "provision_info",
    "provision_job_info",
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run_and_return_what_is_documented(controller: Controller, repository: Path, name: str) -> None:
    told = documentation(repository / "plugins" / "modules" / f"{name}.py")
    examples = told.EXAMPLES.replace("https://provision.example:8092", controller.server.endpoint)
    setup = [machine(one) for one in ("web1", "web2")]
    words = {"provision_password": "r0cketsk8ts", "vaulted_password": SECRET}
    failing = {"breaking": "no such disk"} if name == "provision_job_info" else {}
    (controller.folder / "pack").mkdir()
    (controller.folder / "pack" / "meta.yaml").write_text("Name: folder\n")
    with Agents(controller.settings, failing):
        before = [*setup, *PREPARED.get(name, [])]
        ended = controller.play(before, "-i", "localhost,")
        if name != "provision_machine":
            assert ended.results, ended.output
        inventory = "localhost ansible_connection=local\n[web]\nweb1\nweb2\n"
        hosts = "web1" if "inventory_hostname" in examples else "localhost"
        ended = controller.play(examples, hosts=hosts, inventory=inventory, vars=words)
    assert ended.code == 0, ended.output
    results = [one["result"] for one in ended.results]
    returned = {} if "no_log" in examples else yaml.safe_load(told.RETURN)
    for key, value in returned.items():
        if value["returned"] != "failure":
            _assert_documented(key, value, [result for result in results if key in result])


PREPARED: dict[str, list[dict[str, Any]]] = {
    "provision_machine": [{"name": "it", "tosca.ensemble.provision_machine": {"name": "web1", "state": "absent"}}],
    "provision_param": [machine("web1")],
    "provision_workflow": [machine("web1", workflow=""), machine("web2", workflow="")],
    "provision_job_info": [
        machine("web1", workflow=""),
        {"name": "it", "tosca.ensemble.provision_workflow": {"name": "web1", "workflow": "broken", "timeout": 600}},
    ],
}

TYPES = {"str": str, "bool": bool, "int": int, "list": list, "dict": dict, "raw": object}


def _assert_documented(key: str, told: Any, found: list[Any]) -> None:
    """Each documented value is there, and is of the type of its documentation and of its sample."""
    assert found, f"nothing returned {key}"
    for result in found:
        value = result[key]
        assert isinstance(value, TYPES[told["type"]]) or value is None, (key, value)
        if told["type"] != "raw" and "sample" in told:
            assert isinstance(told["sample"], TYPES[told["type"]]), key
    inner = [item for result in found for item in _items(result[key]) if item]
    for name, part in told.get("contains", {}).items():
        assert inner, f"{key} was always empty"
        if "returned" in part and part["returned"] in ("always", "success"):
            assert all(name in item for item in inner), (key, name, json.dumps(inner)[:500])
        _assert_documented(name, part, [item for item in inner if name in item])


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
