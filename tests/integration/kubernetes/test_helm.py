"""Releases of a chart of our own, with the real Helm and a real API server."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

import pytest
import yaml

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.record import record_journal
from tests.integration.kubernetes.cluster import Cluster
from tests.integration.kubernetes.stand_in import HELM

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
    return "tests-" + hashlib.sha256(str(request.node.name).encode()).hexdigest()[:12]


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
def job(tmp_path: Path, helm: Callable[..., str], namespace: str, cluster: Cluster) -> Job:
    write_chart(tmp_path / "shop")
    text = SERVICE.replace("NAMESPACE", namespace).replace("PASSWORD", SECRET)
    (tmp_path / "service.yaml").write_text(text)

    def run(workflow: str = "deploy", **given: Any) -> dict[str, Any]:
        if workflow == "check":  # controllers are slower than jobs
            cluster.kubectl("--namespace", namespace, "rollout", "status", "deployment/shop-web", check=False)
        options = JobOptions.from_mapping({"diff": True, **given})
        file = tmp_path / "ensemble.yaml"
        location = locate(file if file.exists() else tmp_path / "service.yaml")
        ensemble = read_ensemble(location, options, keep_key=True)
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


def ended(report: Mapping[str, Any]) -> dict[str, Any]:
    (found,) = report["ended"]
    return dict(found)


def headers(event: Mapping[str, Any]) -> list[str]:
    """What a diff is about, without the namespace."""
    return sorted(re.sub(" [^ ]*/", " ", one["before_header"]) for one in event.get("diff", ()))


def test_a_release_is_an_installation(
    job: Job, helm: Callable[..., str], tmp_path: Path, cluster: Cluster, namespace: str
) -> None:
    def kubectl(*words: str) -> str:
        return cluster.kubectl("--namespace", namespace, *words)

    predicted = ended(job(check=True))
    assert (predicted["ok"], predicted["changed"], predicted["basis"]) == (True, True, "predicted")
    assert headers(predicted)[-1] == "chart and values"
    assert json.loads(helm("list", "--output", "json")) == []

    job()
    assert statuses(tmp_path) == ALL_WELL
    made = release(tmp_path)
    assert made["attributes"] == {
        "revision": 1,
        "release_status": "deployed",
        "chart_version": "1.0.0",
        "app_version": "7",
    }
    one = made["instances"]["shop/service/shop-web"]
    assert (one["created"], one["attributes"]["kind"], one["attributes"]["name"]) == ("::shop", "Service", "shop-web")
    assert job()["ended"] == [], "nothing has changed"
    checked = ended(job("check"))
    assert (checked["changed"], headers(checked)) == (False, [])
    assert statuses(tmp_path) == ALL_WELL

    kubectl("set", "env", "deployment/shop-web", "PASSWORD=other")
    assert headers(ended(job("check"))) == ["Deployment shop-web"]
    assert statuses(tmp_path) == {**ALL_WELL, "shop": "degraded", "shop/deployment.apps/shop-web": "degraded"}
    kubectl("delete", "service/shop-queue")
    job("check")
    assert statuses(tmp_path) == {
        **ALL_WELL,
        "shop": "error",
        "shop/deployment.apps/shop-web": "degraded",
        "shop/service/shop-queue": "absent",
    }
    job()
    assert statuses(tmp_path) == ALL_WELL
    assert headers(ended(job("check"))) == []

    helm("upgrade", "shop", str(tmp_path / "shop"), "--reuse-values", "--set", "port=99,queue=false")
    report = job("check")
    assert {one["name"] for one in ended(report)["drift"]} >= {"revision", "status"}
    assert headers(ended(report))[:1] + headers(ended(report))[-1:] == ["ConfigMap shop-settings", "chart and values"]
    assert statuses(tmp_path)["shop"] == "degraded"
    job(repair="degraded")
    assert statuses(tmp_path) == ALL_WELL
    assert json.loads(helm("get", "values", "shop", "--output", "json"))["port"] == 80

    write_chart(tmp_path / "shop", "1.1.0")
    edit(tmp_path / "service.yaml", "values: {port", "values: {queue: false, port")
    edit(tmp_path / "service.yaml", SECRET, NEXT_SECRET)
    report = job()
    assert headers(ended(report)) == [
        "Deployment shop-web",
        "Secret shop-login",
        "Service shop-queue",
        "chart and values",
    ]
    assert release(tmp_path)["attributes"]["chart_version"] == "1.1.0"
    assert statuses(tmp_path) == {**ALL_WELL, "shop/service/shop-queue": "absent"}

    job("undeploy")
    assert set(statuses(tmp_path).values()) == {"absent"}
    assert json.loads(helm("list", "--all", "--output", "json")) == []
    files = [file for file in tmp_path.rglob("*") if file.is_file() and "home" not in file.parts]
    for file in files:
        text = file.read_text(errors="replace")
        assert SECRET not in text, file
        assert NEXT_SECRET not in text or file.name == "service.yaml", file


def test_an_installation_that_leaves_the_specification_takes_what_it_made_with_it(job: Job, tmp_path: Path) -> None:
    job()
    (tmp_path / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "topology_template: {node_templates: {other: {type: tosca.nodes.Root}}}\n"
    )
    shutil.rmtree(tmp_path / "shop")
    job(prune=True)
    assert set(yaml.safe_load((tmp_path / "ensemble.yaml").read_text())["status"]["instances"]) == {"other"}


def test_a_failed_release_says_why_and_the_next_job_goes_on(job: Job, helm: Callable[..., str], tmp_path: Path) -> None:
    edit(tmp_path / "service.yaml", "values: {port: {get_input: port}", "values: {fails: true, port: 80")
    failed = ended(job())
    assert (failed["ok"], "shop-bad" in failed["error"]) == (False, True)
    assert release(tmp_path)["readyState"]["local"] == "error"
    job("check")
    assert release(tmp_path)["readyState"]["local"] == "error"

    edit(tmp_path / "service.yaml", "fails: true, ", "")
    assert ended(job())["ok"]
    assert statuses(tmp_path) == ALL_WELL

    edit(tmp_path / "service.yaml", "port: 80", "fails: true, port: 81")
    edit(tmp_path / "service.yaml", "timeout: 60", "timeout: 60\n        atomic: true")
    assert not ended(job())["ok"]
    assert statuses(tmp_path) == ALL_WELL, "it was rolled back"
    assert json.loads(helm("get", "values", "shop", "--output", "json"))["port"] == 80


def kill_in_the_middle(folder: Path, namespace: str, number: int, helm: Callable[..., str], ensemble: str = "") -> None:
    """What is left of a job that was killed with its Helm: a pending revision, with the label of that job."""
    hook = folder / "hooked" / "templates" / "hook.yaml"
    shutil.copytree(folder / "shop", folder / "hooked")
    hook.write_text(
        "apiVersion: batch/v1\nkind: Job\n"
        'metadata: {name: never, annotations: {"helm.sh/hook": "pre-install,pre-upgrade"}}\n'
        "spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}\n"
    )
    owner = json.dumps({"ensemble": ensemble or folder.name, "name": "shop"}, sort_keys=True)
    label = f"ansible-ensemble={number}.{hashlib.sha256(owner.encode()).hexdigest()[:16]}"
    labels = ["--labels", label] if number else []
    words = ["upgrade", "shop", str(folder / "hooked"), "--install", "--create-namespace", *labels]
    process = subprocess.Popen(["helm", *words, "--namespace", namespace], stdout=subprocess.DEVNULL)
    try:
        while not json.loads(helm("list", "--pending", "--output", "json")):
            assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    shutil.rmtree(folder / "hooked")


@pytest.mark.parametrize("number", [1, 2])
def test_the_next_job_ends_what_a_killed_one_left(
    job: Job, helm: Callable[..., str], tmp_path: Path, namespace: str, number: int
) -> None:
    if number > 1:
        job()
        edit(tmp_path / "service.yaml", "default: 80", "default: 81")
    kill_in_the_middle(tmp_path, namespace, number, helm)
    report = ended(job())
    assert (report["ok"], report["error"]) == (True, None)
    assert statuses(tmp_path) == ALL_WELL
    assert json.loads(helm("list", "--all", "--output", "json"))[0]["status"] == "deployed"


@pytest.mark.parametrize("begun", [(0, ""), (1, "other")])
def test_what_somebody_else_has_begun_is_left_to_them(
    job: Job, helm: Callable[..., str], tmp_path: Path, namespace: str, begun: tuple[int, str]
) -> None:
    number, ensemble = begun
    kill_in_the_middle(tmp_path, namespace, number, helm, ensemble)
    report = ended(job())
    assert (report["ok"], "somebody else works on it" in report["error"]) == (False, True)
    assert len(json.loads(helm("list", "--pending", "--output", "json"))) == 1


@pytest.fixture
def charts(tmp_path: Path, helm: Callable[..., str]) -> Iterator[str]:
    """A repository with the chart in two versions; it asks for a password."""
    folder = tmp_path / "charts"
    folder.mkdir()
    for version in ("1.0.0", "1.1.0"):
        write_chart(tmp_path / "packed", version)
        helm("package", str(tmp_path / "packed"), "--destination", str(folder))
    helm("repo", "index", str(folder))
    wanted = "Basic " + base64.b64encode(f"reader:{SECRET}".encode()).decode()

    class Guarded(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") == wanted:
                super().do_GET()
            else:
                self.send_error(401)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Guarded, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


UNFURL = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {password: {type: string, default: PASSWORD, metadata: {sensitive: true}}}
  node_templates:
    charts:
      type: unfurl.nodes.HelmRepository
      properties: {url: "URL", username: reader, password: {get_input: password}}
    shop:
      type: unfurl.nodes.HelmRelease
      properties:
        chart: charts/shop
        version: 1.0.0
        namespace: NAMESPACE
        create_namespace: true
        wait: true
        chart_values: {port: 81}
      requirements: [{repository: charts}]
"""


def test_a_chart_comes_from_a_repository_and_unfurls_types_deploy(
    job: Job, helm: Callable[..., str], tmp_path: Path, namespace: str, charts: str
) -> None:
    text = UNFURL.replace("URL", charts).replace("NAMESPACE", namespace).replace("PASSWORD", SECRET)
    (tmp_path / "service.yaml").write_text(text)
    assert all(one["ok"] for one in job()["ended"])
    assert statuses(tmp_path) == ALL_WELL
    assert json.loads(helm("get", "values", "shop", "--output", "json")) == {"port": 81}

    edit(tmp_path / "service.yaml", "        version: 1.0.0\n", "")
    job("check")
    assert statuses(tmp_path) == ALL_WELL, "a newer chart in the repository is no drift"
    assert not (tmp_path / "home" / ".config").exists(), "repositories of the user are left alone"
    edit(tmp_path / "service.yaml", SECRET, "wrong")
    refused = [one for one in job("check")["ended"] if one["instance"] == "charts"]
    instances = yaml.safe_load((tmp_path / "ensemble.yaml").read_text())["status"]["instances"]
    assert (refused[0]["ok"], instances["charts"]["readyState"]["local"]) == (True, "error")


def test_the_example_of_the_page_deploys(job: Job, tmp_path: Path, namespace: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "helm.md").read_text()
    example = page.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "service.yaml").write_text(example.replace("namespace: shops", f"namespace: {namespace}"))
    assert ended(job(inputs={"password": SECRET}))["ok"]
    assert statuses(tmp_path) == ALL_WELL


HOSTED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {token: {type: string, metadata: {sensitive: true}}}
  node_templates:
    cluster: {type: kubernetes.Cluster, properties: {server: "URL", token: {get_input: token}, ca_cert: AUTHORITY}}
    space: {type: kubernetes.Namespace, properties: {name: NAMESPACE}, requirements: [{host: cluster}]}
    shop:
      type: helm.Release
      properties: {chart: ./shop, objects: ["Service/*-web", ConfigMap]}
      requirements: [{host: space}]
"""


def test_a_release_is_in_the_namespace_and_the_cluster_that_host_it(
    job: Job,
    tmp_path: Path,
    cluster: Cluster,
    namespace: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = HOSTED.replace("URL", cluster.server).replace("AUTHORITY", str(cluster.authority))
    (tmp_path / "service.yaml").write_text(text.replace("NAMESPACE", namespace))
    with monkeypatch.context() as without:
        without.delenv("KUBECONFIG")
        for workflow in ("deploy", "check"):
            assert all(one["ok"] for one in job(workflow, inputs={"token": cluster.token})["ended"])
    assert cluster.get("--namespace", namespace, "secret", "sh.helm.release.v1.shop.v1") is not None
    document = yaml.safe_load((tmp_path / "ensemble.yaml").read_text())["status"]["instances"]
    shop = document["cluster"]["instances"]["space"]["instances"]["shop"]
    assert {name: one["readyState"]["local"] for name, one in shop["instances"].items()} == {
        "shop/configmap/shop-settings": "ok",
        "shop/service/shop-web": "ok",
    }
    assert shop["readyState"]["local"] == "ok"
