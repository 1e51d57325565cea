"""Objects of Kubernetes as nodes, on a real API server: from their creation over drift to their deletion."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.conftest import Run, command
from tests.integration.kubernetes.cluster import Cluster

__all__ = ["command"]

Command = Callable[..., Run]

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n"
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
SECRET = "k8-a-canary-of-kubernetes"


@pytest.fixture
def run(command: Command, cluster: Cluster, tmp_path: Path) -> Command:
    """Run the command on the ensemble of the test's folder, for the cluster of KUBECONFIG."""
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)

    def run(*arguments: str, fails: bool = False, kubeconfig: Path = cluster.kubeconfig) -> Run:
        done = command(*arguments, extra={"KUBECONFIG": str(kubeconfig)})
        assert (done.code != 0) == fails, done.output
        return done

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], None]:
    """Write node templates."""

    def write(templates: str) -> None:
        lines = (f"    {line}\n" for line in templates.strip("\n").splitlines())
        (tmp_path / "service.yaml").write_text(HEAD + "".join(lines))

    return write


def namespace_of(cluster: Cluster, name: str) -> str:
    """A namespace that the test does not make itself."""
    cluster.kubectl("create", "namespace", name)
    return name


def data(cluster: Cluster, name: str, namespace: str) -> Any:
    found = cluster.get("configmap", name, "--namespace", namespace)
    return None if found is None else found["data"]


def test_the_life_of_an_object(run: Command, write: Callable[[str], None], cluster: Cluster) -> None:
    write("""
cluster: {type: kubernetes.Cluster}
life: {type: kubernetes.Namespace, properties: {labels: {team: web}}, requirements: [{host: cluster}]}
settings:
  type: kubernetes.Object
  properties: {kind: ConfigMap, definition: {data: {color: red}}}
  requirements: [{host: life}]
""")
    foretold = run("plan", "--check")
    assert "color: red" in foretold.output
    assert cluster.get("namespace", "life") is None
    run("deploy", "--approve")
    assert data(cluster, "settings", "life") == {"color": "red"}
    assert cluster.get("namespace", "life")["metadata"]["labels"]["team"] == "web"  # type: ignore[index]
    assert "Everything matches" in run("plan").output

    cluster.kubectl("patch", "configmap", "settings", "--namespace", "life", "--patch", '{"data":{"size":"big"}}')
    assert "1 drifted" not in run("check").output  # nobody said what the size is to be
    cluster.kubectl("patch", "configmap", "settings", "--namespace", "life", "--patch", '{"data":{"color":"blue"}}')
    drifted = run("check", "--diff").output
    assert "1 drifted" in drifted
    assert "-   color: blue" in drifted
    assert "+   color: red" in drifted
    run("deploy", "--approve")
    assert data(cluster, "settings", "life") == {"color": "red", "size": "big"}

    cluster.kubectl("delete", "configmap", "settings", "--namespace", "life")
    assert "ok -> absent" in run("check").output
    run("deploy", "--approve")
    assert data(cluster, "settings", "life") == {"color": "red"}
    run("undeploy", "--approve")
    assert cluster.get("namespace", "life") is None


def test_a_field_of_another_manager_is_a_conflict(run: Command, write: Callable[[str], None], cluster: Cluster) -> None:
    name = namespace_of(cluster, "conflict")
    cluster.kubectl("create", "configmap", "shared", "--from-literal=color=blue", "--namespace", name)
    template = """
shared:
  type: kubernetes.Object
  properties: {{kind: ConfigMap, namespace: {name}, force: {force}, definition: {{data: {{color: {color}}}}}}}
"""
    write(template.format(name=name, force="false", color="red"))
    told = run("deploy", "--approve", fails=True).output
    assert 'ConfigMap conflict/shared is managed by others, too: "kubectl-create" manages .data.color' in told
    assert "force: true" in told
    assert data(cluster, "shared", name) == {"color": "blue"}
    write(template.format(name=name, force="true", color="red"))
    run("deploy", "--approve")
    assert data(cluster, "shared", name) == {"color": "red"}

    write(template.format(name=name, force="false", color="green"))
    other = json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shared"}, "data": {"color": "x"}}
    )
    apply = ("apply", "--server-side", "--force-conflicts", "--field-manager", "others", "--namespace", name)
    cluster.kubectl(*apply, "--filename", "-", stdin=other)
    assert '"others" manages .data.color' in run("deploy", "--approve", fails=True).output


MANIFEST = """
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {released: 2024-01-01}
---
apiVersion: example.org/v1
kind: Page
metadata: {name: front}
spec: {title: hello}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pages.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Page, plural: pages, singular: page}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
TWO = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\ndata: {a: b}\n"


def test_a_manifest_loses_what_leaves_it(
    run: Command, write: Callable[[str], None], cluster: Cluster, tmp_path: Path
) -> None:
    name = namespace_of(cluster, "manifest")
    folder = tmp_path / "manifests"
    folder.mkdir()
    (folder / "one.yaml").write_text(MANIFEST)
    (folder / "two.yaml").write_text(TWO)
    write(f"""
all:
  type: kubernetes.Manifest
  properties: {{src: manifests, namespace: {name}}}
""")
    assert "title: hello" in run("plan", "--check", "--verbose").output
    run("deploy", "--approve")
    assert data(cluster, "one", name) == {"released": "2024-01-01"}
    assert cluster.get("pages", "front", "--namespace", name)["spec"] == {"title": "hello"}  # type: ignore[index]
    assert "Everything matches" in run("plan").output

    cluster.kubectl("delete", "configmap", "one", "--namespace", name)
    assert "ok -> error" in run("check").output
    run("deploy", "--approve")
    assert data(cluster, "one", name) is not None

    (folder / "two.yaml").unlink()
    assert "two" in run("deploy", "--approve", "--diff").output
    assert data(cluster, "two", name) is None
    assert data(cluster, "one", name) is not None
    run("undeploy", "--approve")
    assert data(cluster, "one", name) is None
    assert cluster.get("customresourcedefinition", "pages.example.org") is None


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl")
def test_a_kustomization(run: Command, write: Callable[[str], None], cluster: Cluster, tmp_path: Path) -> None:
    name = namespace_of(cluster, "kustomized")
    write("all: {type: kubernetes.Manifest, properties: {kustomize: overlay}}")
    assert 'overlay" to kustomize' in run("plan", fails=True).output
    folder = tmp_path / "overlay"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text(f"{{namespace: {name}, namePrefix: my-, resources: [two.yaml]}}\n")
    (folder / "two.yaml").write_text(TWO)
    run("deploy", "--approve")
    assert data(cluster, "my-two", name) == {"a": "b"}
    (folder / "two.yaml").write_text(TWO.replace("{a: b}", "{a: c}"))
    run("deploy", "--approve")
    assert data(cluster, "my-two", name) == {"a": "c"}


def test_what_an_apply_made_before_it_failed_is_known(
    run: Command, write: Callable[[str], None], cluster: Cluster, tmp_path: Path
) -> None:
    name = namespace_of(cluster, "half")
    one = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, %s: {a: b}}"
    template = f"all: {{type: kubernetes.Manifest, properties: {{namespace: {name}, definition: [%s]}}}}"
    write(template % f"{one % ('whole', 'data')}, {one % ('wrong', 'datum')}")
    assert ".datum: field not declared in schema" in run("deploy", "--approve", fails=True).output
    assert data(cluster, "whole", name) == {"a": "b"}
    write(template % (one % ("other", "data")))
    run("deploy", "--approve")
    assert data(cluster, "other", name) == {"a": "b"}
    assert data(cluster, "whole", name) is None
    nowhere = tmp_path / "none"
    assert "there is no kubeconfig" in run("check", fails=True, kubeconfig=nowhere).output
    assert "unknown" in run("status", kubeconfig=nowhere).output


def test_what_has_a_label_and_left_the_manifest_is_deleted(
    run: Command, write: Callable[[str], None], cluster: Cluster
) -> None:
    name = namespace_of(cluster, "labelled")
    one = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, labels: {app: web}}}"
    template = f"""
all:
  type: kubernetes.Manifest
  properties: {{namespace: {name}, prune: app=web, definition: [%s]}}
"""
    cluster.kubectl("create", "configmap", "stranger", "--namespace", name)
    cluster.kubectl("label", "configmap", "stranger", "app=web", "--namespace", name)
    write(template % ", ".join(one % which for which in ("here", "gone")))
    run("deploy", "--approve")
    write(template % (one % "here"))
    run("deploy", "--approve")
    left = json.loads(cluster.kubectl("get", "configmaps", "--selector", "app=web", "-n", name, "-o", "json"))
    assert {one["metadata"]["name"] for one in left["items"]} == {"here", "stranger"}


def test_what_is_waited_for_is_told_if_it_does_not_come(
    run: Command, write: Callable[[str], None], cluster: Cluster
) -> None:
    name = namespace_of(cluster, "waiting")
    template = f"""
web:
  type: kubernetes.Object
  properties:
    api_version: apps/v1
    kind: Deployment
    namespace: {name}
    wait: %s
    wait_timeout: %s
    definition:
      spec:
        replicas: 1
        selector: {{matchLabels: {{app: web}}}}
        template:
          metadata: {{labels: {{app: web}}}}
          spec: {{containers: [{{name: web, image: web}}]}}
"""
    write(template % ("rollout", "0"))
    told = run("deploy", "--approve", fails=True).output
    assert f"Deployment {name}/web is not ready after 0 s" in told
    write(template % ("{field: .spec.replicas, value: 1}", "60"))
    run("deploy", "--approve")
    write(template % ("{condition: Progressing, status: 'True'}", "60"))
    run("deploy", "--approve")
    assert "degraded" not in run("check").output


def test_values_of_secrets_are_seen_nowhere(
    run: Command, write: Callable[[str], None], cluster: Cluster, tmp_path: Path
) -> None:
    name = namespace_of(cluster, "secrets")
    (tmp_path / "secret.yaml").write_text(
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: file}}\nstringData: {{word: {SECRET}}}\n"
    )
    template = """
inline:
  type: kubernetes.Object
  properties: {kind: Secret, namespace: %s, definition: {stringData: {word: %s}}}
file: {type: kubernetes.Manifest, properties: {namespace: %s, src: secret.yaml}}
"""
    write(template % (name, SECRET, name))
    said = run("plan", "--check").output
    said += run("deploy", "--approve", "--diff").output
    write(template % (name, SECRET + "-2", name))
    said += run("deploy", "--approve", "--diff").output
    cluster.kubectl("patch", "secret", "file", "--namespace", name, "--patch", '{"stringData":{"word":"other"}}')
    said += run("check", "--diff", "--output", "json").stdout
    said += run("status", "--output", "json").stdout
    kept = "".join(
        file.read_text(errors="replace")
        for file in tmp_path.rglob("*")
        if file.is_file() and file.name not in ("service.yaml", "secret.yaml") and ".git" not in file.parts
    )
    encoded = "azgtYS1jYW5hcnktb2Yta3ViZXJuZXRlc"
    assert "REDACTED" in said
    for word in (SECRET, encoded):
        assert word not in said
        assert word not in kept
    live = cluster.get("secret", "inline", "--namespace", name)
    assert live is not None
    assert live["data"]["word"].startswith(encoded)


WRONG = {
    "no kubeconfig": ({}, "there is no kubeconfig"),
    "no such context": ({"context": "elsewhere"}, "there is no context elsewhere in"),
    "nobody there": ({"server": "https://127.0.0.1:1"}, "https://127.0.0.1:1 (the property server) cannot be reached"),
    "not trusted": ({"server": "SERVER", "token": "TOKEN"}, "shows a certificate that is not trusted"),
    "not known": ({"server": "SERVER", "token": "x", "ca_cert": "AUTHORITY"}, "refuses the credentials"),
    "no authority": ({"server": "SERVER", "ca_cert": "nowhere"}, "nowhere cannot be read: No such file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_cluster_that_cannot_be_used_is_told_in_one_message(
    run: Command, write: Callable[[str], None], cluster: Cluster, tmp_path: Path, case: str
) -> None:
    said, message = WRONG[case]
    known = {"SERVER": cluster.server, "TOKEN": cluster.token, "AUTHORITY": str(cluster.authority)}
    properties = {name: known.get(value, value) for name, value in said.items()}
    write(f"cluster: {{type: kubernetes.Cluster, properties: {json.dumps(properties)}}}")
    kubeconfig = cluster.kubeconfig if said else tmp_path / "none"
    done = run("deploy", "--approve", fails=True, kubeconfig=kubeconfig)
    assert message in done.output
    assert "Traceback" not in done.output


def test_an_object_of_another_name_takes_the_place_of_the_first(
    run: Command, write: Callable[[str], None], cluster: Cluster
) -> None:
    name = namespace_of(cluster, "renamed")
    template = f"a: {{type: kubernetes.Object, properties: {{kind: ConfigMap, namespace: {name}, name: %s}}}}"
    write(template % "first")
    run("deploy", "--approve")
    write(template % "second")
    run("deploy", "--approve")
    assert cluster.get("configmap", "first", "--namespace", name) is None
    assert cluster.get("configmap", "second", "--namespace", name) is not None
    run("undeploy", "--approve")
    assert cluster.get("configmap", "second", "--namespace", name) is None


def test_a_namespace_of_others_is_left(run: Command, write: Callable[[str], None], cluster: Cluster) -> None:
    name = namespace_of(cluster, "of-others")
    write(f"{name}: {{type: kubernetes.Namespace, properties: {{labels: {{a: b}}}}}}")
    run("deploy", "--approve")
    assert "was there before, and is left" in run("undeploy", "--approve").output
    assert cluster.get("namespace", name) is not None


def test_the_manifest_of_the_page_deploys(run: Command, cluster: Cluster, repository: Path, tmp_path: Path) -> None:
    examples = re.findall(r"^```yaml\n(.*?)^```$", (repository / "docs" / "kubernetes.md").read_text(), re.S | re.M)
    (tmp_path / "service.yaml").write_text(examples[1])
    run("deploy", "--approve")
    assert data(cluster, "menu", "default") == {"entries": "3"}
    run("undeploy", "--approve")
    assert data(cluster, "menu", "default") is None


#: A program that gives another token each time; only the second one is known.
PLUGIN = """\
count=$(cat {file} 2>/dev/null || echo expired)
echo {token} > {file}
echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {{"token": "'$count'"}}}}'
"""


def test_credentials_that_expired_are_asked_for_again(
    run: Command, write: Callable[[str], None], cluster: Cluster, tmp_path: Path
) -> None:
    config = json.loads(cluster.kubeconfig.read_text())
    code = PLUGIN.format(file=tmp_path / "token", token=cluster.token)
    version = "client.authentication.k8s.io/v1"
    config["users"][0]["user"] = {"exec": {"apiVersion": version, "command": "sh", "args": ["-c", code]}}
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    write("cluster: {type: kubernetes.Cluster, properties: {kubeconfig: kubeconfig}}")
    run("deploy", "--approve", kubeconfig=tmp_path / "none")
