"""Unfurl's types of Kubernetes, as its users write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.integration.jobs.conftest import Run, command
from tests.integration.jobs.unfurl.samples import write_sample
from tests.integration.kubernetes.cluster import Cluster

__all__ = ["command"]

SERVICE = """\
tosca_definitions_version: tosca_simple_unfurl_1_0_0
topology_template:
  relationship_templates:
    to_cluster:
      type: unfurl.relationships.ConnectsTo.K8sCluster
      default_for: ANY
      properties: {KUBECONFIG: KUBECONFIG_FILE, context: tests}
  node_templates:
    cluster: {type: unfurl.nodes.K8sCluster}
    space: {type: unfurl.nodes.K8sNamespace, properties: {name: of-unfurl}, requirements: [{host: cluster}]}
    settings:
      type: unfurl.nodes.K8sResource
      properties: {definition: {apiVersion: v1, kind: ConfigMap, data: {color: red}}}
      requirements: [{host: space}]
    filed:
      type: unfurl.nodes.K8sResource
      properties: {src: filed.yaml}
      requirements: [{host: space}]
    word:
      type: unfurl.nodes.K8sSecretResource
      properties: {data: {word: open}}
      requirements: [{host: space}]
    role:
      type: unfurl.nodes.K8sRawResource
      properties:
        definition: |
          apiVersion: rbac.authorization.k8s.io/v1
          kind: ClusterRole
          metadata: {name: of-unfurl}
          rules: []
      requirements: [{host: cluster}]
  outputs:
    address: {value: {get_attribute: [cluster, api_server]}}
    kind: {value: {get_attribute: [settings, apiResource, kind]}}
    namespace: {value: {get_attribute: [settings, namespace]}}
"""


def test_they_deploy_and_are_deleted(command: Callable[..., Run], cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("KUBECONFIG_FILE", str(cluster.kubeconfig)))
    (tmp_path / "filed.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: on-file}\ndata: {a: b}\n")
    (tmp_path / "ensemble.yaml").write_text(
        "apiVersion: unfurl/v1.0.0\nkind: Ensemble\nspec: {service_template: {+include: service.yaml}}\n"
    )
    nowhere = {"KUBECONFIG": str(tmp_path / "none")}
    done = command("deploy", "--approve", extra=nowhere)
    assert done.code == 0, done.output
    within = ("--namespace", "of-unfurl")
    assert cluster.get("configmap", "settings", *within)["data"] == {"color": "red"}  # type: ignore[index]
    assert cluster.get("configmap", "on-file", *within)["data"] == {"a": "b"}  # type: ignore[index]
    assert cluster.get("secret", "word", *within)["data"] == {"word": "b3Blbg=="}  # type: ignore[index]
    assert cluster.get("clusterrole", "of-unfurl") is not None
    told = command("status", extra=nowhere).output
    assert cluster.server in told
    assert "kind" in told
    checked = command("check", extra=nowhere)
    assert "none drifted" in checked.output
    undone = command("undeploy", "--approve", extra=nowhere)
    assert undone.code == 0, undone.output
    assert cluster.get("namespace", "of-unfurl") is None
    assert cluster.get("clusterrole", "of-unfurl") is None


def test_a_sample_deploys_and_is_deleted(command: Callable[..., Run], cluster: Cluster, tmp_path: Path) -> None:
    write_sample("kubernetes", tmp_path)
    there = {"KUBECONFIG": str(cluster.kubeconfig)}
    done = command("deploy", "--approve", extra=there)
    assert done.code == 0, done.output
    assert cluster.get("configmap", "settings", "--namespace", "samples")["data"] == {"color": "red"}  # type: ignore[index]
    assert cluster.get("secret", "word", "--namespace", "samples") is not None
    assert cluster.get("clusterrole", "samples") is not None
    undone = command("undeploy", "--approve", extra=there)
    assert undone.code == 0, undone.output
    assert (cluster.get("namespace", "samples"), cluster.get("clusterrole", "samples")) == (None, None)
