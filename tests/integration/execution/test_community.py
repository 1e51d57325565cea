"""Modules of collections that people use take the fast lane, and say what they say in the stock lane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .driving import drive
from .test_differential import differences, plain

#: What `make community` installs.
COLLECTIONS = Path(__file__).parents[3] / ".build/community"

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="make community installs the collections"),
]

NOWHERE = "http://127.0.0.1:1"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk0Y0l1c2VkSW5UZXN0c0FuZE5vd2hlcmVFbHNlISEh somebody"

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "web"}}

#: The module, its arguments (`@` is the lane's folder), its lane. Each does something in that folder, or has no server
#: or library to work with, and says so.
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("kubernetes.core.k8s", {"host": NOWHERE, "api_key": "x", "definition": CONFIG_MAP}, "fast"),
    ("kubernetes.core.k8s_info", {"kind": "Pod", "host": NOWHERE, "api_key": "x"}, "fast"),
    ("kubernetes.core.helm_info", {"name": "web", "namespace": "web"}, "fast"),
    ("community.docker.docker_container", {"name": "web", "image": "web", "docker_host": "unix://@/none"}, "fast"),
    ("community.docker.docker_network_info", {"name": "web", "docker_host": "unix://@/none"}, "fast"),
    ("community.general.ini_file", {"path": "@/a.ini", "section": "a", "option": "b", "value": "c"}, "fast"),
    ("community.general.xml", {"path": "@/none.xml", "xpath": "/a"}, "fast"),
    ("community.general.archive", {"path": "@/a.ini", "dest": "@/a.tgz"}, "fast"),
    ("ansible.posix.authorized_key", {"user": "root", "path": "@/keys", "key": KEY, "manage_dir": False}, "fast"),
    ("ansible.posix.sysctl", {"name": "a.b", "value": "1", "sysctl_file": "@/sysctl", "reload": False}, "fast"),
    ("amazon.aws.s3_bucket", {"name": "web", "region": "x", "endpoint_url": NOWHERE}, "fast"),
    ("amazon.aws.ec2_instance_info", {"region": "x", "endpoint_url": NOWHERE}, "fast"),
    ("community.crypto.x509_certificate_info", {"content": "none"}, "fast"),
    ("community.crypto.openssl_privatekey_info", {"path": "@/none.pem"}, "fast"),
    ("community.postgresql.postgresql_ping", {"login_host": "127.0.0.1", "port": 1}, "fast"),
    ("community.mysql.mysql_info", {"login_host": "127.0.0.1", "login_port": 1}, "fast"),
    ("ansible.netcommon.restconf_get", {"path": "/x"}, "fast"),
    ("ansible.netcommon.network_resource", {"name": "vlans"}, "stock"),
    ("community.hashi_vault.vault_read", {"url": NOWHERE, "path": "x", "auth_method": "token", "token": "t"}, "fast"),
    ("community.hashi_vault.vault_kv2_get", {"url": NOWHERE, "path": "x", "token": "t"}, "fast"),
]


def lane(folder: Path, fast: bool) -> list[dict[str, Any]]:
    """Make every call through one lane, in a folder of its own."""
    orders = [
        {"module": module, "args": {key: _placed(value, folder) for key, value in args.items()}, "timeout": 300}
        for module, args, _ in CALLS
    ]
    settings = {"ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS), "ANSIBLE_REMOTE_TMP": str(folder / "remote-tmp")}
    outcomes = drive(orders, settings=settings, session={"base": str(folder)}, lanes={"fast": fast})["outcomes"]
    return [plain(outcome, folder) for outcome in outcomes]


def _placed(value: Any, folder: Path) -> Any:
    return value.replace("@", str(folder)) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Every call's outcome through the stock lane and through the fast lane."""
    return lane(tmp_path_factory.mktemp("stock"), False), lane(tmp_path_factory.mktemp("fast"), True)


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[call[0] for call in CALLS])
def test_same_outcome(lanes: tuple[list[dict[str, Any]], list[dict[str, Any]]], number: int) -> None:
    stock, fast = lanes[0][number], dict(lanes[1][number])
    assert (stock["lane"], fast.pop("lane")) == ("stock", CALLS[number][2])
    assert differences({**stock, "lane": None}, fast) == []
