from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.conditions import NeverReady, as_wait, unmet


def deployment(generation: int = 1, seen: int = 1, **counts: int) -> dict[str, Any]:
    return {
        "kind": "Deployment",
        "metadata": {"generation": generation},
        "spec": {"replicas": 2},
        "status": {"observedGeneration": seen, **counts},
    }


def with_condition(kind: str, name: str, status: str, **more: str) -> dict[str, Any]:
    conditions = [{"type": name, "status": status, **more}]
    return {"kind": kind, "metadata": {}, "status": {"phase": "Pending", "conditions": conditions}}


ROLLED_OUT = {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}

CASES: list[tuple[Any, dict[str, Any], str | None]] = [
    (True, deployment(**ROLLED_OUT), None),
    ("rollout", deployment(**{**ROLLED_OUT, "replicas": 3}), "of 2 replicas, replicas are 3"),
    ("rollout", deployment(2, 1, **ROLLED_OUT), "it has not been seen by its controller yet"),
    (True, {"kind": "ConfigMap", "metadata": {}}, None),
    (True, {"kind": "Namespace", "metadata": {}, "status": {"phase": "Active"}}, None),
    (True, {"kind": "Namespace", "metadata": {}, "status": {"phase": "Terminating"}}, "its phase is Terminating"),
    (True, with_condition("CustomResourceDefinition", "Established", "True"), None),
    (True, {"kind": "CustomResourceDefinition", "metadata": {}}, "it has no condition Established"),
    (True, with_condition("Certificate", "Ready", "False", message="no issuer"), "condition Ready is False: no issuer"),
    ("available", with_condition("Deployment", "Available", "True"), None),
    ({"condition": "Ready", "status": False}, with_condition("Pod", "Ready", "False"), None),
    ({"field": ".status.phase", "value": "Pending"}, with_condition("Pod", "Ready", "False"), None),
    ({"jsonpath": "{.status.conditions[0].type}", "value": "Ready"}, with_condition("Pod", "Ready", "False"), None),
    ({"field": "status['phase']"}, with_condition("Pod", "Ready", "False"), None),
    ({"field": ".status.phase", "value": "Bound"}, with_condition("Pod", "Ready", "False"), ".status.phase is Pending"),
    ({"field": ".status.ip"}, with_condition("Pod", "Ready", "False"), ".status.ip is not there"),
]


@pytest.mark.parametrize(("written", "live", "lacking"), CASES)
def test_what_an_object_lacks(written: Any, live: dict[str, Any], lacking: str | None) -> None:
    wait = as_wait(written)
    assert wait is not None
    told = unmet(wait, live)
    assert (told is None) == (lacking is None)
    assert (lacking or "") in (told or "")


@pytest.mark.parametrize(
    ("written", "live", "why"),
    [
        (True, with_condition("Job", "Failed", "True", reason="BackoffLimitExceeded"), "BackoffLimitExceeded"),
        ("rollout", {"kind": "ConfigMap", "metadata": {}}, "has no rollout"),
    ],
)
def test_what_never_comes(written: Any, live: dict[str, Any], why: str) -> None:
    wait = as_wait(written)
    assert wait is not None
    with pytest.raises(NeverReady, match=why):
        unmet(wait, live)


def test_a_rollout_that_does_not_go_on() -> None:
    live = deployment(availableReplicas=1)
    live["status"]["conditions"] = [{"type": "Progressing", "reason": "ProgressDeadlineExceeded", "message": "stuck"}]
    with pytest.raises(NeverReady, match="stuck"):
        unmet(as_wait("rollout"), live)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "written", [7, "two words", {}, {"value": 1}, {"condition": "A", "value": 1}, {"field": "a b"}]
)
def test_what_means_nothing_is_refused(written: Any) -> None:
    with pytest.raises(EnsembleError):
        as_wait(written)


@pytest.mark.parametrize("written", [None, False])
def test_nothing_is_waited_for(written: Any) -> None:
    assert as_wait(written) is None
