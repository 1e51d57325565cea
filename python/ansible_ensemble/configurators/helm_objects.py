"""The objects of a release: those of its manifest, how they are, and how two sets of them differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import yaml

from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.instances.status import Status

_CHANGED = f"{REDACTED} (changed)"
#: Parts of a live object that say nothing of what it should be.
_OF_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")


@dataclass(frozen=True, slots=True)
class HelmObject:
    """An object of a release.

    Attributes:
        content: as the manifest or the cluster has it.
    """

    content: Mapping[str, Any]
    namespace: str

    @property
    def kind(self) -> str:
        """Its kind, as `Deployment`."""
        return str(self.content.get("kind") or "")

    @property
    def api_version(self) -> str:
        """Group and version, as `apps/v1`."""
        return str(self.content.get("apiVersion") or "")

    @property
    def name(self) -> str:
        """Its name within its kind and namespace."""
        return str((self.content.get("metadata") or {}).get("name") or "")

    @property
    def title(self) -> str:
        """Kind, group and name as kubectl writes them: `deployment.apps/web`."""
        group = self.api_version.rpartition("/")[0]
        return f"{self.kind.lower()}{'.' if group else ''}{group}/{self.name}"

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, whatever the version it is read in."""
        return self.namespace, self.title

    def is_one_of(self, patterns: Iterable[str]) -> bool:
        """Whether a pattern means it: `Deployment`, `Deployment/web-*`, `*`."""
        return any(fnmatchcase(f"{self.kind}/{self.name}", one if "/" in one else f"{one}/*") for one in patterns)


def objects_of(manifest: str, namespace: str) -> list[HelmObject]:
    """The objects of a manifest; those without a namespace are in that of the release.

    Raises:
        yaml.YAMLError: it is no YAML.
    """
    found = yaml.load_all(manifest, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    plain = json.loads(json.dumps(list(found), default=str))
    return as_objects(plain, namespace)


def as_objects(contents: Iterable[Any], namespace: str) -> list[HelmObject]:
    """Objects of data, those in lists too."""
    made = []
    for one in contents:
        if isinstance(one, Mapping) and isinstance(one.get("items"), list):
            made += as_objects(one["items"], namespace)
        elif isinstance(one, Mapping) and one.get("kind"):
            made.append(HelmObject(one, str((one.get("metadata") or {}).get("namespace") or namespace)))
    return made


def differences(before: Iterable[HelmObject], after: Iterable[HelmObject]) -> list[dict[str, Any]]:
    """How two sets of objects differ, as diffs in Ansible's form; data of secrets is masked."""
    old, new = ({one.key: one for one in some} for some in (before, after))
    found = []
    for key in dict.fromkeys((*old, *new)):
        mine, theirs = (_specified(some[key].content) if key in some else {} for some in (old, new))
        if mine != theirs:
            left, right = _masked(mine, theirs)
            title = f"{key[1]} ({key[0]})" if key[0] else key[1]
            found.append({"before_header": title, "after_header": title, "before": left, "after": right})
    return found


def _specified(content: Mapping[str, Any]) -> dict[str, Any]:
    """An object without what only the server says of it."""
    metadata = {key: value for key, value in (content.get("metadata") or {}).items() if key not in _OF_SERVER}
    return {**{key: value for key, value in content.items() if key != "status"}, "metadata": metadata}


def _masked(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any] | str, dict[str, Any] | str]:
    if "Secret" in (before.get("kind"), after.get("kind")):
        for part in ("data", "stringData"):
            old, new = before.get(part) or {}, after.get(part) or {}
            before, after = dict(before), dict(after)
            if old:
                before[part] = dict.fromkeys(old, REDACTED)
            if new:
                after[part] = {key: _CHANGED if old.get(key, one) != one else REDACTED for key, one in new.items()}
    return before or "", after or ""


def status_of(live: Mapping[str, Any]) -> tuple[Status, str]:
    """How a live object is, by the rules of its kind, and why it is not well."""
    if (live.get("metadata") or {}).get("deletionTimestamp"):
        return Status.DEGRADED, "it is being deleted"
    rule = _RULES.get(str(live.get("kind")))
    if rule is not None:
        return rule(live.get("spec") or {}, _observed(live))
    ready = _condition(live, "Ready")
    if ready is not None and ready.get("status") == "False":
        return Status.DEGRADED, str(ready.get("message") or ready.get("reason") or "it is not ready")
    return Status.OK, ""


def _observed(live: Mapping[str, Any]) -> Mapping[str, Any]:
    """The status of an object; empty where it is that of an earlier generation."""
    status = live.get("status") or {}
    seen, current = status.get("observedGeneration"), (live.get("metadata") or {}).get("generation")
    return {} if seen is not None and current is not None and seen < current else status


def _condition(live: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    conditions = (live.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if isinstance(one, Mapping) and one.get("type") == kind), None)


def _replicas(available: str, updated: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], tuple[Status, str]]:
    def rule(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Status, str]:
        wanted = spec.get("replicas", 1)
        ready = min(int(status.get(available) or 0), int(status.get(updated) or 0))
        return (Status.OK, "") if ready >= wanted else (Status.DEGRADED, f"{ready} of {wanted} are available")

    return rule


def _daemon_set(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Status, str]:
    del spec
    wanted, ready = status.get("desiredNumberScheduled"), int(status.get("numberReady") or 0)
    if wanted is None:
        return Status.DEGRADED, "it is not scheduled yet"
    return (Status.OK, "") if ready >= wanted else (Status.DEGRADED, f"{ready} of {wanted} are ready")


def _job(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Status, str]:
    del spec
    failed = _condition({"status": status}, "Failed")
    if failed is not None and failed.get("status") == "True":
        return Status.ERROR, str(failed.get("message") or "it failed")
    return Status.OK, ""


def _claim(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Status, str]:
    del spec
    phase = str(status.get("phase") or "Pending")
    return (Status.OK, "") if phase == "Bound" else (Status.DEGRADED, f"it is {phase.lower()}")


def _pod(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Status, str]:
    del spec
    phase = str(status.get("phase") or "Pending")
    if phase in ("Running", "Succeeded"):
        return Status.OK, ""
    return (Status.ERROR if phase == "Failed" else Status.DEGRADED), f"it is {phase.lower()}"


_RULES: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], tuple[Status, str]]] = {
    "Deployment": _replicas("availableReplicas", "updatedReplicas"),
    "StatefulSet": _replicas("readyReplicas", "updatedReplicas"),
    "DaemonSet": _daemon_set,
    "Job": _job,
    "PersistentVolumeClaim": _claim,
    "Pod": _pod,
}
