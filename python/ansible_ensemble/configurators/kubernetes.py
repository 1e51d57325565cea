"""Objects of Kubernetes as operations: a program that the job keeps for all of them applies and compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.kubernetes_inputs import (
    KUSTOMIZED,
    as_options,
    definitions_of,
    kustomize,
    parse_definitions,
)
from ansible_ensemble.configurators.protocol import Basis, Progress, Result, Steps, Task
from ansible_ensemble.configurators.results import to_result
from ansible_ensemble.core.orders import Outcome, Request
from ansible_ensemble.core.sensitive import mark_sensitive, reveal
from ansible_ensemble.instances.status import Status
from ansible_ensemble.kubernetes.access import GIVEN
from ansible_ensemble.kubernetes.objects import Reference, reference, secrets

#: Serves requests about objects.
PROGRAM = "ansible_ensemble.kubernetes.service"
_CLUSTER = ".ancestors::[.type=kubernetes.Cluster]"
_NAMESPACES = tuple(
    f".hosted_on::[.type={name}]::name" for name in ("kubernetes.Namespace", "unfurl.nodes.K8sNamespace")
)
#: Environment variables that Unfurl's connections of a cluster set -> what they say.
_EXPORTED = {"KUBE_CTX": "context", "KUBE_TOKEN": "token", "KUBE_CLUSTER_CA_CERT_DATA": "ca_cert"}
_LEFT = "the namespace was there before, and is left"
#: What an operation is for -> what the program does.
_ACTIONS = {"delete": "delete", "check": "look", "discover": "look"}


class KubernetesConfigurator(BaseConfigurator):
    """Applies objects by server-side apply, compares them (`check`, `discover`) and deletes them (`delete`).

    Its target says what it works on: `cluster`, `namespace`, `object` or `manifest`; its inputs are the properties of
    the type of that name.
    """

    name = "kubernetes"
    keys = frozenset({"environment"})

    def render(self, task: Task) -> None:
        """Evaluate the inputs, and read the files that they name."""
        super().render(task)
        if self._target != "cluster":
            as_options(task)
            definitions_of(task, self._target)
            if task.inputs.get(KUSTOMIZED):
                kustomize(task, {})

    def run(self, task: Task) -> Steps:
        """Have the program do what the operation is for."""
        environment = implementation_environment(task)
        if self._target == "cluster":
            outcome = yield self._request(task, environment, "connect", [], {})
            return _connected(task, outcome)
        definitions = definitions_of(task, self._target)
        if task.inputs.get(KUSTOMIZED):
            built = yield kustomize(task, environment)
            if built.ok and built.cut:
                built.ok, built.error = False, "kubectl kustomize printed more than is read"
            if not built.ok:
                return Result(success=False, modified=False, outcome=built, error=built.error)
            definitions += parse_definitions(built.stdout, f"kustomization {task.inputs[KUSTOMIZED]}", task)
        for secret in (value for one in definitions for value in secrets(one)):
            task.hide(secret)
        kept = reveal(task.known("SELF", ("objects", "adopted", "uid", "object"))) or {}
        action = _ACTIONS.get(task.operation.name, "apply")
        if action == "delete" and self._target == "namespace" and kept.get("adopted"):
            yield Progress(_LEFT)
            return Result(
                success=True, modified=False, messages=[_LEFT], basis=Basis.PREDICTED if task.check else Basis.REAL
            )
        outcome = yield self._request(task, environment, action, definitions, kept)
        return self._result(task, outcome, action, kept)

    def _request(
        self,
        task: Task,
        environment: Mapping[str, Any],
        action: str,
        definitions: list[dict[str, Any]],
        kept: Mapping[str, Any],
    ) -> Request:
        earlier = self._earlier(kept)
        known = [kept.get("uid"), *(one.get("uid") for one in earlier)]
        asked = {
            "action": action,
            "cluster": cluster_of(task, environment),
            "environment": dict(environment),
            "folder": str(task.base),
            "namespace": namespace_of(task),
            "objects": definitions,
            "earlier": earlier,
            "known": [uid for uid in known if uid],
            "options": as_options(task),
            "dry_run": task.check or action == "look",
            "guest": self._target == "namespace",
        }
        return Request(PROGRAM, asked, task.timeout)

    def _earlier(self, kept: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What earlier operations made, to be deleted where it is none of the present; a renamed namespace is left."""
        if self._target == "manifest":
            return list(kept.get("objects") or ())
        one = kept.get("object")
        if self._target == "namespace" or not one:
            return []
        metadata = one["metadata"]
        return [reference(one, metadata.get("namespace")).plain()]

    def _result(self, task: Task, outcome: Outcome, action: str, kept: Mapping[str, Any]) -> Result:
        found = outcome.result.get("objects") or []
        unready = outcome.result.get("unready") or []
        says = action == "apply" or task.operation.name == "discover" or (action == "look" and outcome.changed)
        attributes = self._attributes(task, found, kept, outcome) if says else {}  # what others change is no drift
        for one in found:
            for secret in secrets(one["object"] or {}):
                task.hide(secret)
        if not task.diff and not task.check:
            outcome.diff = []
        changed, outcome.result = outcome.changed, {}
        if action == "look":
            outcome.changed, outcome.unreachable = False, not outcome.ok  # then it has not been looked at
        result = to_result(task, outcome, {"attributes": attributes}, changed)
        if action == "look" and outcome.ok:
            result.basis = Basis.REAL
            result.status = _status(found, unready, is_same=not changed)
            result.messages += unready
        return result

    def _attributes(self, task: Task, found: list[Any], kept: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
        """What is recorded. What an apply that failed has made is known by then."""
        if self._target == "manifest":
            now = [one["reference"] for one in found if one["object"] is not None]
            earlier = kept.get("objects") or [] if not outcome.ok else []
            names = [_identity(one) for one in now]
            return {"objects": now + [one for one in earlier if _identity(one) not in names]}
        if not found or found[0]["object"] is None:
            return {}
        one = found[0]
        live = dict(one["object"])
        if live.get("kind") == "Secret" and live.get("data"):
            live["data"] = mark_sensitive(live["data"])
        metadata = live["metadata"]
        attributes = {
            "uid": one["reference"].get("uid"),
            "status": one["status"],
            "object": live,
            "adopted": bool(outcome.result.get("adopted") or kept.get("adopted")),
            "apiResource": {**live, "status": one["status"]},
            "name": metadata.get("name"),
            "namespace": metadata.get("namespace"),
        }
        return {name: value for name, value in attributes.items() if name in task.attributes}


def cluster_of(task: Task, environment: Mapping[str, Any]) -> dict[str, Any]:
    """What is said about the cluster that the node is hosted on, by it and by connections; nothing if it is on none."""
    said = {name: reveal(task.query(f"{_CLUSTER}::{name}")) for name in GIVEN}
    exported = {name: environment.get(variable) or None for variable, name in _EXPORTED.items()}
    if environment.get("KUBE_INSECURE") == "true":
        exported["validate_certs"] = False
    return {**_without_null(exported), **_without_null(said)}


def _identity(one: Mapping[str, Any]) -> tuple[Any, ...]:
    return Reference(**one).identity


def _without_null(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def namespace_of(task: Task) -> str | None:
    """The namespace of objects that name none; the cluster's default one if none is said."""
    said = task.inputs.get("namespace") or next(filter(None, map(task.query, _NAMESPACES)), None)
    return str(reveal(said)) if said else None


def _connected(task: Task, outcome: Outcome) -> Result:
    found, outcome.result = outcome.result, {}
    outcome.unreachable = not outcome.ok
    attributes = {"api_server": found.get("server"), "version": found.get("version")} if outcome.ok else {}
    result = to_result(task, outcome, {"attributes": attributes}, modified=False)
    result.basis = Basis.REAL
    return result


def _status(found: list[Any], unready: list[str], *, is_same: bool) -> Status:
    """Absent if nothing is there, in error if something is not or differs, degraded if something is not ready."""
    there = [one["object"] is not None for one in found]
    if not any(there):
        return Status.ABSENT
    if not all(there) or not is_same:
        return Status.ERROR
    return Status.DEGRADED if unready else Status.OK
