from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_ensemble.configurators.helm_objects import as_objects, differences, objects_of, status_of

MANIFEST = """\
---
# Source: shop/templates/service.yaml
apiVersion: v1
kind: Service
metadata: {name: web}
---
# Source: shop/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: other}
---
"""


def test_the_objects_of_a_manifest_are_named_as_kubectl_names_them() -> None:
    assert [one.key for one in objects_of(MANIFEST, "shop")] == [
        ("shop", "service/web"),
        ("other", "deployment.apps/web"),
    ]


def test_objects_in_lists_count_each() -> None:
    one = {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"}}
    made = as_objects(
        [{"kind": "List", "apiVersion": "v1", "items": [one, {"kind": "ServiceList", "items": [one]}]}], "a"
    )
    assert [each.title for each in made] == ["service/web", "service/web"]


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["Service"], ["service/web"]),
        (["*"], ["service/web", "deployment.apps/web"]),
        (["Deployment/w*", "Service/other"], ["deployment.apps/web"]),
        ([], []),
    ],
)
def test_patterns_choose_objects(patterns: list[str], found: list[str]) -> None:
    assert [one.title for one in objects_of(MANIFEST, "") if one.is_one_of(patterns)] == found


@pytest.mark.parametrize(
    ("live", "status", "message"),
    [
        ("{kind: ConfigMap}", "ok", ""),
        ("{kind: ConfigMap, metadata: {deletionTimestamp: x}}", "degraded", "it is being deleted"),
        ("{kind: Deployment, spec: {replicas: 2}}", "degraded", "0 of 2 are available"),
        (
            "{kind: Deployment, spec: {replicas: 2}, status: {availableReplicas: 2, updatedReplicas: 1}}",
            "degraded",
            "1 of 2 are available",
        ),
        ("{kind: Deployment, spec: {replicas: 2}, status: {availableReplicas: 2, updatedReplicas: 2}}", "ok", ""),
        ("{kind: Deployment, spec: {replicas: 0}}", "ok", ""),
        (
            "{kind: Deployment, metadata: {generation: 2}, spec: {replicas: 1},"
            " status: {observedGeneration: 1, availableReplicas: 1, updatedReplicas: 1}}",
            "degraded",
            "0 of 1 are available",
        ),
        ("{kind: StatefulSet, spec: {}, status: {readyReplicas: 1, updatedReplicas: 1}}", "ok", ""),
        ("{kind: DaemonSet}", "degraded", "it is not scheduled yet"),
        ("{kind: DaemonSet, status: {desiredNumberScheduled: 2, numberReady: 1}}", "degraded", "1 of 2 are ready"),
        ("{kind: DaemonSet, status: {desiredNumberScheduled: 0}}", "ok", ""),
        ("{kind: Job}", "ok", ""),
        (
            "{kind: Job, status: {conditions: [{type: Failed, status: 'True', message: too often}]}}",
            "error",
            "too often",
        ),
        ("{kind: Job, status: {conditions: [{type: Failed, status: 'False'}]}}", "ok", ""),
        ("{kind: PersistentVolumeClaim, status: {phase: Pending}}", "degraded", "it is pending"),
        ("{kind: PersistentVolumeClaim, status: {phase: Bound}}", "ok", ""),
        ("{kind: Pod, status: {phase: Failed}}", "error", "it is failed"),
        ("{kind: Pod, status: {phase: Running}}", "ok", ""),
        (
            "{kind: Certificate, status: {conditions: [{type: Ready, status: 'False', reason: Late}]}}",
            "degraded",
            "Late",
        ),
        ("{kind: Certificate, status: {conditions: [{type: Ready, status: 'True'}]}}", "ok", ""),
    ],
)
def test_the_status_of_an_object_follows_its_kind(live: str, status: str, message: str) -> None:
    found, why = status_of(yaml.safe_load(live))
    assert (found.value, why) == (status, message)


def objects(**contents: Any) -> Any:
    return as_objects(contents.values(), "shop")


def test_what_only_the_server_says_is_no_difference() -> None:
    wanted = {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"}, "spec": {"type": "ClusterIP"}}
    live = {**wanted, "metadata": {"name": "web", "uid": "1", "generation": 3}, "status": {"loadBalancer": {}}}
    assert differences(objects(a=live), objects(a=wanted)) == []
    (found,) = differences(objects(a=live), objects(a={**wanted, "spec": {"type": "NodePort"}}))
    assert (found["before_header"], found["before"]["spec"]) == ("service/web (shop)", {"type": "ClusterIP"})
    assert found["after"]["spec"] == {"type": "NodePort"}


def test_new_objects_and_those_that_go_differ_from_nothing() -> None:
    one = {"kind": "Service", "metadata": {"name": "web"}}
    ((new,), (gone,)) = differences([], objects(a=one)), differences(objects(a=one), [])
    assert (new["before"], new["after"]["kind"], gone["before"]["kind"], gone["after"]) == (
        "",
        "Service",
        "Service",
        "",
    )


def test_data_of_secrets_is_masked_and_said_to_have_changed() -> None:
    def secret(**data: str) -> Any:
        return objects(a={"kind": "Secret", "metadata": {"name": "s"}, "data": data})

    (found,) = differences(secret(same="c2FtZQ==", word="b2xk", gone="Z29uZQ=="), secret(same="c2FtZQ==", word="bmV3"))
    masked = "<<REDACTED>>"
    assert found["before"]["data"] == {"same": masked, "word": masked, "gone": masked}
    assert found["after"]["data"] == {"same": masked, "word": f"{masked} (changed)"}
