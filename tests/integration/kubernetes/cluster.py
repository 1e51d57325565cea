"""A Kubernetes cluster on the loopback interface: etcd, the API server and the controllers, without nodes.

It needs what `make kubernetes` builds, or programs of these names on the path.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.sshd import free_port

_BUILT = Path(__file__).parents[3] / ".build" / "kubernetes"
_NAMES = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "openssl")
TOKEN = "the-administrator-of-the-tests"
#: Controllers that would want nodes, clouds or a volume, or have nothing to do without them.
_CONTROLLERS = "*,-nodeipam,-node-ipam-controller,-cloud-node-lifecycle-controller,-service-lb-controller"


def _program(name: str) -> str | None:
    built = _BUILT / name
    return str(built) if built.is_file() else shutil.which(name)


PROGRAMS = {name: _program(name) for name in _NAMES}
#: Why there can be no cluster; empty if there can.
MISSING = ", ".join(name for name, path in PROGRAMS.items() if path is None)
SKIP_REASON = f"there is no {MISSING} (make kubernetes)"


@dataclass(frozen=True)
class Cluster:
    """A running cluster.

    Attributes:
        server: the API server's address.
        token: of an administrator.
        authority: the file of the certificate that signed the server's.
        kubeconfig: a file by which kubectl, helm and others reach it as that administrator.
    """

    server: str
    token: str
    authority: Path
    kubeconfig: Path

    def kubectl(self, *arguments: str, stdin: str = "", check: bool = True) -> str:
        """What kubectl prints."""
        done = subprocess.run(
            [str(PROGRAMS["kubectl"]), "--kubeconfig", self.kubeconfig, *arguments],
            env={"PATH": os.environ["PATH"], "HOME": str(self.kubeconfig.parent)},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def get(self, *what: str) -> dict[str, Any] | None:
        """An object as it is now; none if it is not there."""
        printed = self.kubectl("get", *what, "--output", "json", "--ignore-not-found")
        found: dict[str, Any] | None = json.loads(printed) if printed else None
        return found


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """A cluster that ends with the block; the folder, which is made, holds all its files."""
    folder.mkdir(mode=0o700)
    authority = _certificates(folder)
    (folder / "tokens.csv").write_text(f'{TOKEN},administrator,1,"system:masters"\n')
    port = free_port()
    cluster = Cluster(f"https://127.0.0.1:{port}", TOKEN, authority, folder / "kubeconfig")
    cluster.kubeconfig.write_text(json.dumps(_kubeconfig(cluster)))
    with ExitStack() as stack:
        store = _etcd(folder, stack)
        _start(folder, stack, "kube-apiserver", **_api_server(folder, store, port))
        _until_ready(cluster)
        _start(
            folder,
            stack,
            "kube-controller-manager",
            kubeconfig=cluster.kubeconfig,
            controllers=_CONTROLLERS,
            **{
                "bind-address": "127.0.0.1",
                "secure-port": 0,
                "leader-elect": "false",
                "service-account-private-key-file": folder / "accounts.key",
                "root-ca-file": authority,
                "cert-dir": folder,
            },
        )
        while cluster.get("serviceaccount", "default") is None:
            time.sleep(0.05)
        yield cluster


def _certificates(folder: Path) -> Path:
    """The keys of the server and of service accounts; returns the file of the certificate that signed the server's."""
    openssl = str(PROGRAMS["openssl"])
    for name in ("authority", "server", "accounts"):
        _run(openssl, "ecparam", "-genkey", "-noout", "-name", "prime256v1", "-out", folder / f"{name}.key")
    authority = folder / "authority.crt"
    _run(openssl, "req", "-x509", "-new", "-key", folder / "authority.key", "-subj", "/CN=tests", "-out", authority)
    request, names = folder / "server.csr", folder / "names"
    names.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n")
    _run(openssl, "req", "-new", "-key", folder / "server.key", "-subj", "/CN=127.0.0.1", "-out", request)
    signing = ("-CA", authority, "-CAkey", folder / "authority.key", "-CAcreateserial", "-extfile", names)
    _run(openssl, "x509", "-req", "-in", request, *signing, "-days", "30", "-out", folder / "server.crt")
    return authority


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _kubeconfig(cluster: Cluster) -> dict[str, Any]:
    authority = base64.b64encode(cluster.authority.read_bytes()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "tests", "cluster": {"server": cluster.server, "certificate-authority-data": authority}}],
        "users": [{"name": "administrator", "user": {"token": cluster.token}}],
        "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "administrator"}}],
        "current-context": "tests",
    }


def _etcd(folder: Path, stack: ExitStack) -> str:
    """Start a store that need not outlive a failure of power; returns its address."""
    client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    _start(
        folder,
        stack,
        "etcd",
        **{
            "data-dir": folder / "etcd",
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"default={peer}",
            "unsafe-no-fsync": "true",
        },
    )
    return client


def _api_server(folder: Path, store: str, port: int) -> dict[str, Any]:
    return {
        "etcd-servers": store,
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "endpoint-reconciler-type": "none",
        "secure-port": port,
        "tls-cert-file": folder / "server.crt",
        "tls-private-key-file": folder / "server.key",
        "token-auth-file": folder / "tokens.csv",
        "authorization-mode": "RBAC",
        "service-account-issuer": "https://tests",
        "service-account-key-file": folder / "accounts.key",
        "service-account-signing-key-file": folder / "accounts.key",
        "service-cluster-ip-range": "10.0.0.0/24",
        "cert-dir": folder,
    }


def _start(folder: Path, stack: ExitStack, program: str, **options: Any) -> None:
    log = stack.enter_context((folder / f"{program}.log").open("w"))
    arguments = [f"--{name}={value}" for name, value in options.items()]
    process = subprocess.Popen([str(PROGRAMS[program]), *arguments], stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    stack.callback(process.wait)
    stack.callback(process.kill)  # what it holds is thrown away


def _until_ready(cluster: Cluster) -> None:
    trusted = ssl.create_default_context(cafile=str(cluster.authority))
    request = urllib.request.Request(f"{cluster.server}/readyz", headers={"Authorization": f"Bearer {cluster.token}"})
    while True:
        try:
            with urllib.request.urlopen(request, context=trusted, timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
