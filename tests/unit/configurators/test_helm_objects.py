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
        ("{kind: ConfigMap, metadata: {}}", "ok", ""),
        ("{kind: ConfigMap, metadata: {deletionTimestamp: x}}", "degraded", "it is being deleted"),
        (
            "{kind: Deployment, metadata: {}, spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 2}}",
            "degraded",
            "of 2 replicas, replicas are 2, updatedReplicas are 2, availableReplicas are 0",
        ),
        ("{kind: Deployment, metadata: {}, spec: {replicas: 0}}", "ok", ""),
        ("{kind: Job, metadata: {}}", "ok", ""),
        (
            "{kind: Job, metadata: {}, status: {conditions: [{type: Failed, status: 'True', message: too often}]}}",
            "error",
            "it failed: too often",
        ),
        (
            "{kind: PersistentVolumeClaim, metadata: {}, status: {phase: Pending}}",
            "degraded",
            "its phase is Pending",
        ),
    ],
)
def test_the_status_of_an_object_follows_its_kind(live: str, status: str, message: str) -> None:
    found, why = status_of(yaml.safe_load(live))
    assert (found.value, why) == (status, message)


def objects(**contents: Any) -> Any:
    return as_objects(contents.values(), "shop")


SERVICE = {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"}, "spec": {"type": "ClusterIP"}}


def test_objects_that_are_the_same_do_not_differ() -> None:
    assert differences(objects(a=SERVICE), objects(a=SERVICE)) == []
    (found,) = differences(objects(a=SERVICE), objects(a={**SERVICE, "spec": {"type": "NodePort"}}))
    assert (found["before_header"], "ClusterIP" in found["before"]) == ("Service shop/web", True)
    assert "NodePort" in found["after"]


def test_new_objects_and_those_that_go_differ_from_nothing() -> None:
    ((new,), (gone,)) = differences([], objects(a=SERVICE)), differences(objects(a=SERVICE), [])
    assert (new["before"], gone["after"]) == ("", "")
    assert new["after"] == gone["before"]


def test_data_of_secrets_is_masked() -> None:
    def secret(word: str) -> Any:
        return objects(a={"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "s"}, "data": {"word": word}})

    (found,) = differences(secret("b2xk"), secret("bmV3"))
    assert not {"b2xk", "bmV3"}.intersection(str(found).split())
    assert "<<REDACTED>> (changed)" in found["after"]
