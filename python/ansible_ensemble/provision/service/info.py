"""What the server says of itself."""

from __future__ import annotations

import platform
import sys
from typing import Any

import msgspec

from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.service.server_features import FEATURES
from ansible_ensemble.provision.store.transaction import Reader


class Stat(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are of something."""

    name: str
    count: int


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """The server, as clients ask for it before anything else.

    What this server does not do (DHCP, TFTP, high availability) is off.
    """

    arch: str
    os: str
    version: str
    id: str
    address: str
    server_hostname: str
    api_port: int
    stats: list[Stat]
    features: list[str]
    scopes: dict[str, dict[str, dict[str, Any]]]
    local_id: str = ""
    ha_id: str = ""
    file_port: int = 0
    secure_file_port: int = 0
    dhcp_port: int = 0
    binl_port: int = 0
    tftp_port: int = 0
    tftp_enabled: bool = False
    dhcp_enabled: bool = False
    binl_enabled: bool = False
    prov_enabled: bool = False
    secure_prov_enabled: bool = False
    manager: bool = False
    license: dict[str, Any] = msgspec.field(name="License", default_factory=dict)
    errors: list[str] = []
    ha_enabled: bool = False
    ha_virtual_address: str = ""
    ha_is_active: bool = False
    ha_status: str = ""
    ha_active_id: str = ""
    ha_passive_state: list[Any] = []
    cluster_state: dict[str, Any] = msgspec.field(name="ClusterState", default_factory=dict)


def info(
    reader: Reader,
    *,
    version: str,
    id: str,
    address: str,
    hostname: str,
    port: int,
    file_port: int,
    scopes: dict[str, dict[str, dict[str, Any]]],
) -> Info:
    """The server, and how much it keeps.

    Args:
        reader: what it keeps.
        version: of the server.
        id: the name of the server.
        address: its address.
        hostname: its host.
        port: of its API, and of files over TLS.
        file_port: of files without TLS; 0 for none.
        scopes: what claims can be about: actions by scope.
    """
    counts = [Stat(name=f"{kind.PREFIX}.count", count=reader.count(kind)) for kind in (Machine, Job)]
    return Info(
        arch=_architecture(),
        os=sys.platform,
        version=version,
        id=id,
        address=address,
        server_hostname=hostname,
        api_port=port,
        file_port=file_port,
        secure_file_port=port,
        prov_enabled=bool(file_port),
        secure_prov_enabled=True,
        stats=counts,
        features=list(FEATURES),
        scopes=scopes,
    )


def _architecture() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
