"""The cluster that a release is on, as variables of Helm's."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.kubernetes import cluster_of
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.environment import Changes, with_changes
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.kubernetes.access import Access, Given, find_access

_NAME = "cluster"
#: What is said by naming it; all else has to be written into a kubeconfig.
_NAMED = {"kubeconfig", "context", "namespace"}


def cluster_variables(task: Task, environment: Changes, home: Path) -> dict[str, str]:
    """The variables by which Helm finds the cluster; none leaves it to KUBECONFIG.

    What is said otherwise than by a kubeconfig and its context is written into a kubeconfig in Helm's home.
    """
    said = cluster_of(task, environment)
    if not _NAMED.issuperset(said):
        access = find_access(Given(**said), with_changes(os.environ, environment), task.base)
        file = home / "kubeconfig"
        file.touch(mode=0o600)
        file.write_text(json.dumps(_kubeconfig(access)), encoding="utf-8")
        return {"KUBECONFIG": str(file)}
    found = {"KUBECONFIG": str(task.base / with_home(said["kubeconfig"]))} if "kubeconfig" in said else {}
    return {**found, "HELM_KUBECONTEXT": said["context"]} if "context" in said else found


def _kubeconfig(access: Access) -> dict[str, Any]:
    user = {
        "token": access.token,
        "client-certificate-data": _encoded(access.client_cert),
        "client-key-data": _encoded(access.client_key),
    }
    if access.user is not None:
        user |= {"username": access.user[0], "password": access.user[1]}
    cluster = {
        "server": access.server,
        "certificate-authority-data": _encoded(access.authority) if access.verify else None,
        "insecure-skip-tls-verify": None if access.verify else True,
        "tls-server-name": access.tls_server_name,
        "proxy-url": access.proxy,
    }
    context = {"cluster": _NAME, "user": _NAME, "namespace": access.namespace}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": _said(cluster)}],
        "users": [{"name": _NAME, "user": _said(user)}],
        "contexts": [{"name": _NAME, "context": context}],
        "current-context": _NAME,
    }


def _encoded(text: str | None) -> str | None:
    return base64.b64encode(text.encode()).decode() if text else None


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
