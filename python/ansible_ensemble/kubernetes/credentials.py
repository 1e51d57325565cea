"""Credentials that a program gives, which a kubeconfig names (client authentication API, `ExecCredential`)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
