"""Content as communities write theirs: loaded unmodified by a server without options, and its tasks rendered."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.provision.service.server_features import ABSENT
from ansible_ensemble.provision.templates.machine_data import BootEnvData, MachineData, SystemData
from ansible_ensemble.provision.templates.render_data import RenderData
from tests.integration.provision.communities import made_packs
from tests.integration.provision.drpcli import Drpcli
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.wire import Refusal, Wire

PACKS = [yaml.safe_load(file.read_text()) for file in sorted((Path(__file__).parent / "community").glob("*.yaml"))]
#: As many as a community has, with as many tasks.
MADE, IDIOMS = made_packs(32, 228)
#: What their content asks for.
FEATURES = {
    "sprig",
    "fsm-runner",
    "http-range-header",
    "tenants",
    "multiarch",
    "elevated-tasks",
    "log-has-head-method",
    *(ABSENT.keys() - {"auto-boot-target"}),
}
PARAMS: dict[str, Any] = {
    "access-keys": {"ada": "ssh-ed25519 AAAA ada"},
    "bios/settings": [{"Name": "Boot Mode", "Value": "Uefi"}, {"Name": "SriovGlobal", "Value": "Enabled"}],
    "cloud/provider": "elsewhere",
    "cluster/profile": "cluster-1",
    "debug": True,
    "flash/list": [{"File": "dell/BIOS.bin", "Version": "2.1"}, {"File": "NIC.bin", "Sum": "0123456789"}],
    "greeting": "hello {{.Machine.Name}}",
    "greetings": ["of {{.Env.Name}}"],
    "key-private": "one|two",
    "mounts": [{"partition": "/dev/sda1", "mount": "/mnt"}],
    "network-data": {
        "all": {"dns-servers": ["1.1.1.1", "9.9.9.9"]},
        "prov": {"dhcp": False, "address": " 10.0.0.5 ", "netmask": "255.255.252.0"},
    },
    "ntp-servers": ["ntp.example"],
    "package-repositories": [
        {
            "tag": "base",
            "os": ["debian-12"],
            "url": "http://mirror.example/debian",
            "components": ["main"],
            "distribution": "bookworm",
            "installSource": True,
        },
        {"tag": "extra", "os": ["debian-12"], "url": "http://mirror.example/extra"},
    ],
    "partition-scheme": "lvm",
    "plan-state": {"serial": 1},
    "playbook-templates": ["play.yaml.tmpl"],
    "proxy-servers": ["http://proxy.example:3128"],
}
#: Of each task that cannot be rendered, the words that say why.
REASONS = {
    "unfinished-called": 'template "nowhere.tmpl" not defined',
    "unfinished-invoked": 'template "nowhere.tmpl" not defined',
    "unfinished-member": "can't evaluate field WorkOrder",
    "unfinished-named": "nowhere.tmpl",
    "unfinished-param": "No such machine parameter nobody/sets-this",
    "unfinished-refuses": "choose a provider",
    "unfinished-required": "Missing required parameter nobody/sets-this for tasks unfinished-required",
}


class Outcome:
    """What came of loading the packs in a server without options and rendering their tasks for a machine.

    Attributes:
        warnings: of each pack.
        rendered: the actions of each task that could be rendered.
        refused: why the others could not.
    """

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.warnings: dict[str, list[str]] = {}
        self.rendered: dict[str, list[dict[str, Any]]] = {}
        self.refused: dict[str, str] = {}
        asyncio.run(self._fill())

    async def _fill(self) -> None:
        async with Wire(self.endpoint) as wire:
            for pack in [*PACKS, *MADE]:
                loaded = await wire.call("POST", "contents", pack)
                self.warnings[pack["meta"]["Name"]] = loaded["Warnings"]
            cli = Drpcli(wire)
            fields = {
                "Name": "m1.example",
                "Address": "192.168.124.10",
                "HardwareAddrs": ["52:54:00:ab:cd:0f"],
                "OS": "debian-12",
                "BootEnv": "site-install",
                "Profiles": ["hardware"],
                "Params": PARAMS,
            }
            machine = (await cli.create("machines", fields))["Uuid"]
            for task in (name for pack in [*PACKS, *MADE] for name in pack["sections"]["tasks"]):
                await self._render(cli, machine, task)

    async def _render(self, cli: Drpcli, machine: str, task: str) -> None:
        await cli.update("machines", machine, {"Tasks": [task], "CurrentTask": -1, "Runnable": True})
        try:
            job = await cli.create_job(machine)
            assert job, task
            self.rendered[task] = await cli.job_actions(job["Uuid"])
        except Refusal as refusal:
            self.refused[task] = " ".join(refusal.messages)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    server = Lasting(tmp_path_factory.mktemp("community"))
    try:
        yield Outcome(server.endpoint)
    finally:
        assert server.stop() == 0
    assert server.complaints == []


def test_the_packs_ask_for_every_feature_and_see_every_member_of_templates() -> None:
    asked = {name for pack in PACKS for name in pack["meta"]["RequiredFeatures"].replace(",", " ").split()}
    assert asked > FEATURES
    text = yaml.safe_dump([*PACKS, *MADE])
    members = [*RenderData.methods, *BootEnvData.methods, *MachineData.methods, *SystemData.methods]
    assert [name for name in members if f".{name}" not in text] == []


def test_packs_load_unmodified_and_say_what_of_them_will_not_work(outcome: Outcome) -> None:
    lacking = {
        "site-base": ["centos-8"],
        "site-library": ["asset-dir"],
        "site-hardware": ["overridable-bootloaders", "virtual-media-boot"],
    }
    for pack, features in lacking.items():
        assert outcome.warnings[pack] == [f"Missing required feature {name}: {ABSENT[name]}" for name in features]
    assert outcome.warnings["site-unfinished"] == [
        "Missing required feature time-travel: what uses it may not work",
        "tasks/unfinished-named: Template nowhere.tmpl does not exist",
    ]
    assert len(outcome.warnings) == 36
    for pack in MADE:
        names = pack["meta"]["RequiredFeatures"].replace(",", " ").split()
        missing = [f"Missing required feature {name}: {ABSENT[name]}" for name in names if name in ABSENT]
        assert outcome.warnings[pack["meta"]["Name"]] == missing


def test_all_tasks_are_rendered_or_say_why_not(outcome: Outcome) -> None:
    assert outcome.refused.keys() == REASONS.keys(), outcome.refused
    assert [task for task, reason in REASONS.items() if reason not in outcome.refused[task]] == []
    assert len(outcome.rendered) == 249
    for task, actions in outcome.rendered.items():
        assert not [action for action in actions if "<no value>" in action["Content"]], task
        for action in actions:
            if action["Content"].startswith(("#!/bin/bash", "#!/usr/bin/env bash")):
                checked = subprocess.run(["bash", "-n"], input=action["Content"], text=True, capture_output=True)
                assert checked.returncode == 0, f"{task}: {checked.stderr}\n{action['Content']}"


@pytest.mark.parametrize(
    ("task", "lines"),
    [
        ("base-setup", ['curl -gsfLo /usr/local/bin/tool "<API>/files/tool.$(uname -m)"', "set -x"]),
        ("base-network", ["_nd_address='10.0.0.5'", "_nd_cidr='22'", "_nd_dns_servers='9.9.9.9 1.1.1.1'"]),
        ("base-seed", ["d-i partman-auto/method string lvm", "d-i mirror/http/hostname string mirror.example"]),
        ("base-boot", ["kernel debian-12/arm64/install/arm64/linux auto"]),
        ("library-plan", ['variable "url" { default = "<API>" }', "ADDRESS=.address", '{"serial":1}']),
        ("library-playbooks", ["===== 1 play.yaml.tmpl", '- debug: msg="{{ inventory_hostname }} of m1.example"']),
        ("hardware-flash", ["curl -fgLO <API>/files/flash/BIOS.bin # 2.1", "curl -fgLO <API>/isos/nic.iso"]),
        ("hardware-bios", ['BOOT_MODE="Uefi"', "password=Y2Fsdmlu"]),
    ],
)  # fmt: skip
def test_what_tasks_are_rendered_to(outcome: Outcome, task: str, lines: list[str]) -> None:
    text = "\n".join(action["Content"] for action in outcome.rendered[task])
    assert [line for line in lines if line.replace("<API>", outcome.endpoint) not in text] == [], text


def test_what_idioms_are_rendered_to(outcome: Outcome) -> None:
    for task, idiom in IDIOMS.items():
        text = "\n".join(action["Path"] + "\n" + action["Content"] for action in outcome.rendered[task])
        assert [line for line in idiom["gives"] if line.replace("<API>", outcome.endpoint) not in text] == [], text
