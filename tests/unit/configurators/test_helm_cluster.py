from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.helm_program import cluster_variables
from tests.unit.configurators.conftest import FakeTask, operation

PEM = "-----BEGIN CERTIFICATE-----"


@dataclass
class Task(FakeTask):
    said: dict[str, Any] = field(default_factory=dict)

    def query(self, expression: Any) -> Any:
        return self.said.get(str(expression).rpartition("::")[2])


def variables(folder: Path, environment: dict[str, str | None] | None = None, **said: Any) -> dict[str, str]:
    return cluster_variables(Task(operation("helm"), folder, said=said), environment or {}, folder)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, {}),
        ({"namespace": "shop"}, {}),
        ({"context": "staging"}, {"HELM_KUBECONTEXT": "staging"}),
        ({"kubeconfig": "/etc/kube"}, {"KUBECONFIG": "/etc/kube"}),
    ],
)
def test_what_is_named_is_named_to_helm(tmp_path: Path, said: dict[str, str], expected: dict[str, str]) -> None:
    assert variables(tmp_path, **said) == expected


def test_a_kubeconfig_starts_at_the_folder(tmp_path: Path) -> None:
    assert variables(tmp_path, kubeconfig="kube") == {"KUBECONFIG": str(tmp_path / "kube")}


def test_a_connection_names_a_context(tmp_path: Path) -> None:
    assert variables(tmp_path, {"KUBE_CTX": "staging"}) == {"HELM_KUBECONTEXT": "staging"}


def test_all_else_is_written_into_a_private_kubeconfig(tmp_path: Path) -> None:
    said = {"server": "https://127.0.0.1:6443", "token": "t", "ca_cert": PEM, "tls_server_name": "kube"}
    file = Path(variables(tmp_path, **said)["KUBECONFIG"])
    assert file.stat().st_mode & 0o777 == 0o600
    config = json.loads(file.read_text())
    assert config["users"][0]["user"] == {"token": "t"}
    cluster = config["clusters"][0]["cluster"]
    assert cluster.pop("certificate-authority-data")
    assert cluster == {"server": "https://127.0.0.1:6443", "tls-server-name": "kube"}


def test_certificates_are_left_unchecked_where_that_is_said(tmp_path: Path) -> None:
    file = variables(tmp_path, server="https://127.0.0.1:1", ca_cert=PEM, validate_certs=False)["KUBECONFIG"]
    (entry,) = json.loads(Path(file).read_text())["clusters"]
    assert entry["cluster"] == {"server": "https://127.0.0.1:1", "insecure-skip-tls-verify": True}
