"""A cluster: its kinds, and the requests for one object."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.connection import Connections, RequestRefused
from ansible_ensemble.kubernetes.objects import Definition, Reference, reference

_APPLY = "application/apply-patch+yaml"


class UnknownKind(EnsembleError):
    """The server has no such kind, or none yet."""


class Cluster:
    """What can be asked of a cluster; several threads may ask at the same time.

    Every method raises `RequestRefused` if the server refuses, `EnsembleError` if it cannot be reached, and
    `UnknownKind`.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._kinds: dict[str, dict[str, tuple[str, bool]]] = {}
        self._lock = Lock()

    @property
    def server(self) -> str:
        """Its address."""
        return self._connections.access.server

    def version(self) -> str:
        """The version of its API server; asks for what nobody without credentials is told."""
        self._connections.request("GET", "/api/v1/namespaces", {"limit": "1"})
        return str(self._connections.request("GET", "/version").get("gitVersion"))

    def find(self, definition: Definition, namespace: str | None = None) -> Reference:
        """The object that a definition is of: in its namespace, or in the one that is named if its kind is in one."""
        _other, namespaced = self._kind(str(definition["apiVersion"]), str(definition["kind"]))
        named = (definition.get("metadata") or {}).get("namespace")
        return reference(
            definition, str(named or namespace or self._connections.access.namespace) if namespaced else None
        )

    def get(self, one: Reference) -> dict[str, Any] | None:
        """An object as it is; none if it is not there."""
        try:
            return self._connections.request("GET", self._path(one))
        except RequestRefused as error:
            if error.code == 404:
                return None
            raise

    def apply(
        self, one: Reference, definition: Definition, manager: str, *, force: bool, dry_run: bool
    ) -> dict[str, Any]:
        """The object after its fields were set by server-side apply."""
        query = {"fieldManager": manager, "force": str(force).lower(), "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        metadata = dict(definition.get("metadata") or {})
        if one.namespace:
            metadata["namespace"] = one.namespace
        return self._connections.request(
            "PATCH", self._path(one), query, {**definition, "metadata": metadata}, content_type=_APPLY
        )

    def delete(self, one: Reference, propagation: str) -> bool:
        """Have an object deleted, which may take a while; whether it was there."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        try:
            self._connections.request("DELETE", self._path(one), body=options)
        except RequestRefused as error:
            if error.code == 404:
                return False
            raise
        return True

    def select(self, like: Reference, labels: str) -> list[dict[str, Any]]:
        """The objects of a reference's kind and namespace that have labels."""
        path = self._path(like).rpartition("/")[0]
        found = self._connections.request("GET", path, {"labelSelector": labels})
        return [{"apiVersion": like.api_version, "kind": like.kind, **one} for one in found.get("items") or ()]

    def _path(self, one: Reference) -> str:
        plural, _other = self._kind(one.api_version, one.kind)
        within = f"/namespaces/{one.namespace}" if one.namespace else ""
        return f"{_root(one.api_version)}{within}/{plural}/{one.name}"

    def _kind(self, api_version: str, kind: str) -> tuple[str, bool]:
        """The plural of a kind, and whether its objects are in namespaces; asked for again if it was not there."""
        with self._lock:
            known = self._kinds.get(api_version, {}).get(kind)
            if known is None:
                self._kinds[api_version] = self._resources(api_version)
                known = self._kinds[api_version].get(kind)
        if known is None:
            raise UnknownKind(
                f"the cluster {self.server} has no kind {kind} of {api_version}",
                hint="kubectl api-resources shows those that it has",
            )
        return known

    def _resources(self, api_version: str) -> dict[str, tuple[str, bool]]:
        try:
            found: Mapping[str, Any] = self._connections.request("GET", _root(api_version))
        except RequestRefused as error:
            if error.code == 404:
                return {}
            raise
        resources = found.get("resources") or ()
        return {one["kind"]: (one["name"], bool(one["namespaced"])) for one in resources if "/" not in one["name"]}


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
