"""A machine for tests of rendering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import OperatingSystem
from ansible_ensemble.provision.templates.source import Addresses

REPOSITORIES = [
    {
        "tag": "base",
        "os": ["ubuntu-22.04"],
        "url": "http://r/base/",
        "components": ["main", "extra"],
        "installSource": True,
    },
    {"tag": "other", "os": ["centos-7"], "url": "http://r/other"},
]


class Known:
    """A machine with params."""

    def __init__(self, templates: Mapping[str, str] | None = None, **params: Any) -> None:
        self.machine = Machine(
            name="m1.example.com",
            uuid="3e7031fc-3062-45f1-835c-92541bc9cbd3",
            address="192.168.124.10",
            hardware_addrs=["aa:bb:cc:dd:ee:ff"],
            os="ubuntu-22.04",
            arch="amd64",
            profiles=["web"],
            secret="hidden",
        )
        self.task: Task | None = None
        self.stage: Stage | None = Stage(name="prepare")
        self.bootenv: BootEnv | None = BootEnv(
            name="ubuntu-22.04-install",
            os=OperatingSystem(name="ubuntu-22.04", family="ubuntu", version="22.04"),
            kernel="vmlinuz",
            initrds=["one", "two"],
            boot_params='console={{.Param "console"}}',
        )
        self.addresses = Addresses("10.0.0.1", "https://10.0.0.1:8092", "http://10.0.0.1:8091", "https://10.0.0.1:8090")
        self.templates = templates or {}
        self._params: dict[str, list[Any]] = {"package-repositories": [REPOSITORIES], "console": ["tty0"], **params}

    def values(self, param: str) -> list[Any]:
        return self._params.get(param, [])

    def info(self) -> Mapping[str, Any]:
        return {"id": "server"}

    def token(self, profile: str, seconds: int | None) -> str:
        return f"token {profile} {seconds}"
