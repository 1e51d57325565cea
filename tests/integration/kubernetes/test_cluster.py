"""The cluster of the tests answers, and deletes what is in a namespace with it."""

from __future__ import annotations

from tests.integration.kubernetes.cluster import Cluster


def test_its_controllers_are_at_work(cluster: Cluster) -> None:
    cluster.kubectl("create", "namespace", "short-lived")
    cluster.kubectl("create", "configmap", "inside", "--namespace", "short-lived")
    cluster.kubectl("delete", "namespace", "short-lived", "--wait")
    assert cluster.get("configmap", "inside", "--namespace", "short-lived") is None
