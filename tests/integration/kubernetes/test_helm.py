"""Releases of a chart of our own, with the real Helm and a real API server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.recover import record_journal
from tests.integration.kubernetes.cluster import Cluster

BUILT = Path(__file__).parents[3] / ".build" / "helm"
HELM = str(BUILT) if BUILT.is_file() else shutil.which("helm")

pytestmark = pytest.mark.skipif(HELM is None, reason="there is no helm (make helm)")

SECRET = "k7-a-canary-of-helm"
NEXT_SECRET = "k8-another-canary"

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\nappVersion: '7'\n",
    "values.yaml": "replicas: 0\nport: 80\nqueue: true\npassword: ''\nfails: false\n",
    "templates/all.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: shop
          env: [{name: PASSWORD, value: {{ .Values.password | quote }}}]
          resources: {limits: {cpu: "0.5"}}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}-web}
spec: {selector: {app: web}, ports: [{port: {{ .Values.port }}}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data: {port: {{ .Values.port | quote }}}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-login}
stringData: {password: {{ .Values.password | quote }}}
{{- if .Values.queue }}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}-queue}
spec: {selector: {app: queue}, ports: [{port: 5672}]}
{{- end }}
{{- if .Values.fails }}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}-bad}
spec: {ports: [{port: 700000}]}
{{- end }}
""",
}

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    password: {type: string, default: PASSWORD, metadata: {sensitive: true}}
    port: {type: integer, default: 80}
  node_templates:
    shop:
      type: helm.Release
      properties:
        chart: ./shop
        namespace: NAMESPACE
        create_namespace: true
        timeout: 60
        values: {port: {get_input: port}, password: {get_input: password}}
"""

Job = Callable[..., dict[str, Any]]


def without_ansible() -> NoReturn:
    pytest.fail("Helm needs no Ansible")


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """One for each test: the cluster is shared."""
    return request.node.name.replace("_", "-")[:40].strip("-")


@pytest.fixture
def helm(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, namespace: str) -> Callable[..., str]:
    """Helm as a person runs it, with the cluster; jobs find the same."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "helm").symlink_to(str(HELM))
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["helm", *arguments, "--namespace", namespace], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def job(tmp_path: Path, helm: Callable[..., str], namespace: str) -> Job:
    write_chart(tmp_path / "shop")
    text = SERVICE.replace("NAMESPACE", namespace).replace("PASSWORD", SECRET)
    (tmp_path / "service.yaml").write_text(text)

    def run(workflow: str = "deploy", **given: Any) -> dict[str, Any]:
        options = JobOptions.from_mapping({"diff": True, **given})
        file = tmp_path / "ensemble.yaml"
        location = locate(file if file.exists() else tmp_path / "service.yaml")
        ensemble = read_ensemble(location, options)
        plan = plan_workflow(ensemble, workflow, options)
        _, journal = run_plan(ensemble, plan, options, without_ansible, show=lambda _: None)
        events = [json.loads(line) for line in journal.read_text().splitlines()]
        report = record_journal(read_ensemble(location, options), journal) if not options.check else {}
        return {**report, "ended": [one for one in events if one["event"] == "finished"]}

    return run


def write_chart(folder: Path, version: str = "1.0.0") -> None:
    for name, text in CHART.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("1.0.0", version))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def release(folder: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((folder / "ensemble.yaml").read_text())["status"]["instances"]["shop"]
    return found


def statuses(folder: Path) -> dict[str, str]:
    """The status of the release and of each instance that it made."""
    one = release(folder)
    return {
        "shop": one["readyState"]["local"],
        **{name: made["readyState"]["local"] for name, made in one.get("instances", {}).items()},
    }


ALL_WELL = {
    "shop": "ok",
    "shop/deployment.apps/shop-web": "ok",
    "shop/service/shop-queue": "ok",
    "shop/service/shop-web": "ok",
}


def test_a_release_is_an_installation(job: Job, helm: Callable[..., str], tmp_path: Path, cluster: Cluster, namespace: str) -> None:
    predicted = job(check=True)["ended"][0]
    print(json.dumps(predicted, indent=1))
    assert predicted["ok"] and predicted["changed"]
    job()
    print((tmp_path / "ensemble.yaml").read_text())
    assert statuses(tmp_path) == ALL_WELL
    assert release(tmp_path)["attributes"] == {
        "revision": 1, "release_status": "deployed", "chart_version": "1.0.0", "app_version": "7",
    }
    assert job()["ended"] == []
    checked = job("check")["ended"][0]
    print(json.dumps(checked, indent=1))
    assert statuses(tmp_path) == ALL_WELL
    assert checked["diff"] == []
