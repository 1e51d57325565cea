"""The objects of a release: those of its manifest, how they are, and how two sets of them differ."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import yaml
from msgspec import Struct

from ansible_ensemble.instances.status import Status
from ansible_ensemble.kubernetes.conditions import NeverReady, Wait, unmet
from ansible_ensemble.kubernetes.objects import difference, reference


class HelmObject(Struct, frozen=True):
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
    def shown(self) -> str:
        """It as diffs show it."""
        return str(reference(self.content, self.namespace))

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
        mine, theirs = (some[key].content if key in some else None for some in (old, new))
        found.append(difference(reference((old.get(key) or new[key]).content, key[0]), mine, theirs))
    return [one for one in found if one is not None]


def status_of(live: Mapping[str, Any]) -> tuple[Status, str]:
    """How a live object is, by the rules of its kind, and why it is not well. A job that runs is well."""
    if live["metadata"].get("deletionTimestamp"):
        return Status.DEGRADED, "it is being deleted"
    try:
        lacking = unmet(Wait("ready"), live)
    except NeverReady as error:
        return Status.ERROR, str(error)
    return (Status.OK, "") if lacking is None or live.get("kind") == "Job" else (Status.DEGRADED, lacking)
