"""Objects of Kubernetes as data: which one it is, what of it counts, how it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

import yaml
from msgspec import Struct
from msgspec.structs import asdict

from ansible_ensemble.core.sensitive import REDACTED

#: Kinds that others need, in the order in which they are made; all others follow, as they are written.
_FIRST = ("Namespace", "CustomResourceDefinition", "ServiceAccount", "Secret", "ConfigMap")
#: What the server keeps for itself in an object's metadata.
_OF_SERVER = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid", "selfLink")
_SECRET_PARTS = ("data", "stringData")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Definition = Mapping[str, Any]


class Reference(Struct, frozen=True):
    """Which object is meant.

    Attributes:
        namespace: none for objects of the whole cluster.
        uid: of the object as it was found.
    """

    api_version: str
    kind: str
    name: str
    namespace: str | None = None
    uid: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {f'{self.namespace}/' if self.namespace else ''}{self.name}"

    @property
    def identity(self) -> tuple[str, str, str | None, str]:
        """What two references to one object share: another version of its API is the same object."""
        group = self.api_version.rpartition("/")[0]
        return group, self.kind, self.namespace, self.name

    def plain(self) -> dict[str, Any]:
        """As data, for the record."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def reference(definition: Definition, namespace: str | None = None) -> Reference:
    """The object that a definition is of; `namespace` is that of the server's, where it is in one."""
    metadata = definition.get("metadata") or {}
    return Reference(str(definition["apiVersion"]), str(definition["kind"]), str(metadata["name"]), namespace)


def in_order(definitions: Iterable[Definition]) -> list[Definition]:
    """Definitions in the order in which they are made."""
    known = {kind: number for number, kind in enumerate(_FIRST)}
    return sorted(definitions, key=lambda one: known.get(str(one["kind"]), len(_FIRST)))


def counted(live: Definition) -> dict[str, Any]:
    """What counts of a live object: neither its status nor what the server keeps for itself."""
    metadata = {name: value for name, value in (live.get("metadata") or {}).items() if name not in _OF_SERVER}
    annotations = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != _LAST_APPLIED}
    metadata = {**metadata, "annotations": annotations} if annotations else _without(metadata, "annotations")
    return {**_without(live, "status"), "metadata": metadata}


def _without(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


def difference(what: Reference, live: Definition | None, after: Definition | None) -> dict[str, Any] | None:
    """How an object changes, as Ansible's modules give it; none if it stays as it is. Secrets are masked."""
    before, later = (counted(one) if one is not None else None for one in (live, after))
    if before == later:
        return None
    shown = [deepcopy(one) if one is not None else None for one in (before, later)]
    if what.kind == "Secret":
        _mask(*shown)
    texts = [_text(one) if one is not None else "" for one in shown]
    return {"before": texts[0], "after": texts[1], "before_header": str(what), "after_header": str(what)}


def _mask(before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    """Mask the values of a secret; of one that changes, it is told that it does."""
    for part in _SECRET_PARTS:
        old, new = (dict((one or {}).get(part) or {}) for one in (before, after))
        for whole, values, others in ((before, old, {}), (after, new, old)):
            if whole is not None and part in whole:
                whole[part] = {
                    name: REDACTED + (" (changed)" if name in others and others[name] != value else "")
                    for name, value in values.items()
                }


def _text(definition: Definition) -> str:
    return yaml.dump(definition, Dumper=yaml.CSafeDumper)


def secrets(definition: Definition) -> Iterator[str]:
    """The secret values that a definition holds, as they are written."""
    if definition.get("kind") != "Secret":
        return
    for part in _SECRET_PARTS:
        values = definition.get(part)
        yield from (str(value) for value in (values.values() if isinstance(values, Mapping) else ()) if value)
