"""How an API server is reached, and as whom: what is given, and else a kubeconfig as kubectl finds and reads it."""

from __future__ import annotations

import base64
import binascii
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError

#: Seconds that it may take.
_TIMEOUT = 60


def ask_plugin(
    plugin: Mapping[str, Any], folder: Path, environment: Mapping[str, str], server: str
) -> Mapping[str, Any]:
    """The `status` of the credentials that a program prints: `token`, `clientCertificateData`, `clientKeyData`."""
    command = str(plugin.get("command") or "")
    what = f"the program {command}, which the kubeconfig names for its credentials,"
    info: dict[str, Any] = {"apiVersion": plugin.get("apiVersion"), "kind": "ExecCredential", "spec": {}}
    info["spec"]["interactive"] = False
    if plugin.get("provideClusterInfo"):
        info["spec"]["cluster"] = {"server": server}
    own = {str(one["name"]): str(one["value"]) for one in plugin.get("env") or ()}
    path = str(folder / command) if "/" in command else command
    try:
        done = subprocess.run(
            [path, *map(str, plugin.get("args") or ())],
            env={**environment, **own, "KUBERNETES_EXEC_INFO": json.dumps(info)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or "it takes too long"
        raise EnsembleError(f"{what} cannot be run: {reason}", hint=plugin.get("installHint")) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise EnsembleError(f"{what} failed with exit code {done.returncode}: {last}")
    try:
        status = json.loads(done.stdout)["status"]
        return {str(name): value for name, value in status.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise EnsembleError(f"{what} printed no credentials") from None


#: Where a pod finds its own cluster.
_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Given(Struct, frozen=True):
    """What is said about a cluster; what is left out comes from a kubeconfig.

    Attributes:
        kubeconfig: a file; by default those of KUBECONFIG, or ~/.kube/config.
        server: an URL. Then no kubeconfig is read unless one is named.
        ca_cert, client_cert, client_key: files, or their content.
        validate_certs: whether the server's certificate has to be right.
        namespace: of objects that name none.
    """

    kubeconfig: str | None = None
    context: str | None = None
    server: str | None = None
    token: str | None = None
    ca_cert: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    tls_server_name: str | None = None
    validate_certs: bool | None = None
    proxy: str | None = None
    namespace: str | None = None


#: The names of what can be said.
GIVEN = Given.__struct_fields__


class Access(Struct, frozen=True):
    """How an API server is reached.

    Attributes:
        server: its URL.
        origin: where that was found, for messages.
        authority, client_cert, client_key: PEM.
    """

    server: str
    origin: str
    token: str | None = None
    user: tuple[str, str] | None = None
    authority: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    tls_server_name: str | None = None
    verify: bool = True
    proxy: str | None = None
    namespace: str = "default"


def find_access(given: Given, environment: Mapping[str, str], folder: Path) -> Access:
    """How a cluster is reached; relative paths start at the folder."""
    if given.server and not given.kubeconfig and not given.context:
        found = Access(given.server, "the property server")
    else:
        found = _of_kubeconfig(given, environment, folder)
    overriding: dict[str, Any] = {
        "server": given.server,
        "token": given.token,
        "authority": _pem(given.ca_cert, "ca_cert", folder),
        "client_cert": _pem(given.client_cert, "client_cert", folder),
        "client_key": _pem(given.client_key, "client_key", folder),
        "tls_server_name": given.tls_server_name,
        "verify": given.validate_certs,
        "proxy": given.proxy,
        "namespace": given.namespace,
    }
    found = replace(found, **{name: value for name, value in overriding.items() if value is not None})
    parts = urlsplit(found.server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EnsembleError(f"{found.server!r} is no address of a Kubernetes API server ({found.origin})")
    return found


def _of_kubeconfig(given: Given, environment: Mapping[str, str], folder: Path) -> Access:
    files = _files(given, environment, folder)
    there = [file for file in files if file.is_file()]
    if not there:
        if not given.kubeconfig and not given.context and (_POD / "token").is_file():
            return _of_pod(environment)
        names = ", ".join(map(str, files))
        hint = "say where the cluster is: kubeconfig, or server and token, of a kubernetes.Cluster"
        raise EnsembleError(f"there is no kubeconfig {names}", hint=hint)
    config = _merged(there)
    name = given.context or config["current-context"]
    shown = f"context {name} of {', '.join(map(str, there))}"
    if not name:
        raise EnsembleError(f"{there[0]} has no current context", hint="name one by the property context")
    if name not in config["contexts"]:
        known = ", ".join(sorted(config["contexts"])) or "none"
        raise EnsembleError(f"there is no context {name} in {', '.join(map(str, there))}", hint=f"there are: {known}")
    context, at = config["contexts"][name]
    if context.get("cluster") not in config["clusters"]:
        raise EnsembleError(f"the {shown} names the cluster {context.get('cluster')}, which is not there")
    if context.get("user") and context["user"] not in config["users"]:
        raise EnsembleError(f"the {shown} names the user {context['user']}, who is not there")
    cluster, beside = config["clusters"][context["cluster"]]
    access = Access(
        str(cluster.get("server") or ""),
        shown,
        authority=_content(cluster, "certificate-authority", beside),
        tls_server_name=cluster.get("tls-server-name"),
        verify=not cluster.get("insecure-skip-tls-verify"),
        proxy=cluster.get("proxy-url"),
        namespace=context.get("namespace") or "default",
    )
    user, beside = config["users"].get(context.get("user"), ({}, at))
    return _as_user(access, user, beside, environment)


def _as_user(access: Access, user: Mapping[str, Any], folder: Path, environment: Mapping[str, str]) -> Access:
    """An access with the credentials of a kubeconfig's user."""
    if plugin := user.get("exec"):
        credentials = ask_plugin(plugin, folder, environment, access.server)
        return replace(
            access,
            token=credentials.get("token"),
            client_cert=credentials.get("clientCertificateData"),
            client_key=credentials.get("clientKeyData"),
        )
    token, file = user.get("token"), user.get("tokenFile")
    if not token and file:
        token = _read(folder / file).strip()
    name = user.get("username")
    return replace(
        access,
        token=token,
        user=(str(name), str(user.get("password") or "")) if name else None,
        client_cert=_content(user, "client-certificate", folder),
        client_key=_content(user, "client-key", folder),
    )


def _of_pod(environment: Mapping[str, str]) -> Access:
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "443")
    return Access(
        f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        "the pod's own cluster",
        token=_read(_POD / "token").strip(),
        authority=_read(_POD / "ca.crt"),
        namespace=_read(_POD / "namespace").strip() or "default",
    )


def _files(given: Given, environment: Mapping[str, str], folder: Path) -> list[Path]:
    if given.kubeconfig:
        return [folder / _expanded(given.kubeconfig, environment)]
    named = [Path(one) for one in environment.get("KUBECONFIG", "").split(":") if one]
    return named or [Path(environment.get("HOME") or "/") / ".kube" / "config"]


def _expanded(path: str, environment: Mapping[str, str]) -> str:
    return f"{environment.get('HOME', '~')}{path[1:]}" if path.startswith("~/") else path


def _merged(files: list[Path]) -> dict[str, Any]:
    """Kubeconfigs as one: of each name the first counts. An entry stands beside its file's folder."""
    merged: dict[str, Any] = {"current-context": None, "clusters": {}, "users": {}, "contexts": {}}
    for file in files:
        try:
            content = yaml.safe_load(_read(file)) or {}
            merged["current-context"] = merged["current-context"] or content.get("current-context")
            for kind in ("clusters", "users", "contexts"):
                for entry in content.get(kind) or ():
                    merged[kind].setdefault(entry["name"], (entry.get(kind[:-1]) or {}, file.parent))
        except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
            raise EnsembleError(f"{file} is no kubeconfig: {type(error).__name__}") from None
    return merged


def _content(entry: Mapping[str, Any], name: str, folder: Path) -> str | None:
    """PEM that an entry of a kubeconfig has, encoded or as a file's path."""
    data, file = entry.get(f"{name}-data"), entry.get(name)
    if not data:
        return _read(folder / file) if file else None
    try:
        return base64.b64decode("".join(str(data).split()), validate=True).decode()
    except (binascii.Error, ValueError):
        raise EnsembleError(f"the {name}-data of the kubeconfig is not encoded by base64") from None


def _pem(given: str | None, name: str, folder: Path) -> str | None:
    if given is None or "-----BEGIN" in given:
        return given
    try:
        return _read(folder / given)
    except EnsembleError as error:
        raise EnsembleError(f"the {name} of the cluster: {error}") from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise EnsembleError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
