"""What an operation does with objects: it applies, looks, waits and deletes, one object after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex
from ansible_ensemble.kubernetes.cluster import Cluster, UnknownKind
from ansible_ensemble.kubernetes.conditions import NeverReady, Wait, unmet
from ansible_ensemble.kubernetes.connection import RequestRefused
from ansible_ensemble.kubernetes.objects import Definition, Reference, difference, in_order

#: Seconds between two looks, at first and at most.
_SOON, _LATER = 0.05, 1.0
_MANAGER = regex(r'conflict with "([^"]+)"')


class Cancelled(EnsembleError):
    """The job wants it no more."""


class Options(Struct, frozen=True):
    """How objects are treated.

    Attributes:
        manager: the field manager.
        force: take over fields that others manage.
        wait: what each object is waited for.
        timeout: seconds that this may take, and a deletion.
        propagation: what happens to the objects that an object owns when it is deleted.
        prune: whether objects of earlier that are none of now are deleted.
        labels: the objects that have these, and are none of now, are deleted.
    """

    manager: str = "ansible-ensemble"
    force: bool = False
    wait: Wait | None = None
    timeout: float = 120.0
    propagation: str = "Background"
    prune: bool = True
    labels: str | None = None


class Work(Struct):
    """Work on objects of a cluster, and what has come of it so far.

    Attributes:
        pause: waits so many seconds; whether the job wants the work no more.
        dry_run: whether nothing may change.
        namespace: of objects that name none.
        known: ids of objects that earlier work applied.
        touched: objects that were changed, or would be.
        found: the objects as they are in the end, or would be; none of one that is not there.
    """

    cluster: Cluster
    options: Options
    pause: Callable[[float], bool]
    dry_run: bool = False
    namespace: str | None = None
    known: frozenset[str] = frozenset()
    touched: bool = False
    diff: list[dict[str, Any]] = field(default_factory=list)
    found: list[tuple[Reference, dict[str, Any] | None]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unready: list[str] = field(default_factory=list)

    def apply(self, definitions: Iterable[Definition]) -> None:
        """Make objects what their definitions say, and wait for each."""
        for definition in in_order(definitions):
            self._stop_if_cancelled()
            one = self.find(definition)
            after = self._apply(one, definition)
            if not self.dry_run:
                wait = self.options.wait
                if definition["kind"] == "CustomResourceDefinition" and wait is None:
                    wait = Wait("ready")  # those of its kind are refused before
                after = self._wait(one, wait) if wait is not None else after
            self.found.append((one, after))

    def find(self, definition: Definition) -> Reference:
        """The object of a definition; in a dry run its kind may be one that is only about to be made."""
        try:
            return self.cluster.find(definition, self.namespace)
        except UnknownKind:
            if not self.dry_run:
                raise
            metadata = definition["metadata"]
            return Reference(
                definition["apiVersion"],
                definition["kind"],
                metadata["name"],
                metadata.get("namespace", self.namespace),
            )

    def _apply(self, one: Reference, definition: Definition) -> dict[str, Any]:
        live = self._get(one)
        if live is not None and not self.dry_run and "deletionTimestamp" in live["metadata"]:
            self._until_gone([one])
            live = None
        try:
            after = self._set(one, definition, live, force=self.options.force)
        except (RequestRefused, UnknownKind) as error:
            # what it is in, or is of, would be made first
            if not self.dry_run or live is not None or getattr(error, "code", 404) != 404:
                raise
            after = dict(definition)
        self._note(one, live, after)
        return after

    def _get(self, one: Reference) -> dict[str, Any] | None:
        try:
            return self.cluster.get(one)
        except UnknownKind:
            return None

    def _set(self, one: Reference, definition: Definition, live: Definition | None, *, force: bool) -> dict[str, Any]:
        manager = self.options.manager
        try:
            return self.cluster.apply(one, definition, manager, force=force, dry_run=self.dry_run)
        except RequestRefused as error:
            others = _conflicting(error)
            if not others:
                raise _of(one, error) from None
            if live is None or not self._only_edited(live, others):
                raise _conflict(one, error, others) from None
        return self.cluster.apply(one, definition, manager, force=True, dry_run=self.dry_run)

    def _only_edited(self, live: Definition, others: Iterable[str]) -> bool:
        """Whether an object that we applied was changed by those who do not claim to know what it is to be."""
        appliers = _appliers(live)
        ours = self.options.manager in appliers or live["metadata"].get("uid") in self.known
        return ours and appliers.isdisjoint(others)

    def look(self, definitions: Iterable[Definition]) -> None:
        """Compare objects with their definitions; what is waited for at an apply has to be there, too."""
        self.dry_run = True
        for definition in in_order(definitions):
            self._stop_if_cancelled()
            one = self.find(definition)
            live = self._get(one)
            self.found.append((one, live))
            if live is None:
                continue
            after = self.cluster.apply(one, definition, self.options.manager, force=True, dry_run=True)
            self._note(one, live, after)
            if self.options.wait is not None:
                try:
                    lacking = unmet(self.options.wait, live)
                except NeverReady as error:
                    lacking = str(error)
                self.unready += [f"{one}: {lacking}"] if lacking else []

    def delete(self, ones: Iterable[Reference]) -> None:
        """Delete objects, and wait until they are gone."""
        deleted: list[Reference] = []
        for one in ones:
            self._stop_if_cancelled()
            live = self._get(one)  # none, too, where its kind went, and all of its objects with it
            if live is None:
                continue
            self._note(one, live, None)
            if self.dry_run:
                continue
            try:
                if self.cluster.delete(one, self.options.propagation):
                    deleted.append(one)
            except RequestRefused as error:
                raise _of(one, error) from None
        self._until_gone(deleted)

    def prune(self, earlier: Iterable[Reference]) -> None:
        """Delete what was a part of what is applied, and is no more."""
        now = {one.identity for one, _other in self.found}
        gone = list(earlier) if self.options.prune else []
        if self.options.labels:
            gone += self._labelled([*gone, *(one for one, _other in self.found)], self.options.labels)
        left = {one.identity: one for one in gone if one.identity not in now}
        self.delete(reversed(left.values()))

    def _labelled(self, like: Iterable[Reference], labels: str) -> list[Reference]:
        """The objects with labels that we manage, of the kinds and namespaces of others."""
        places = {(one.identity[:3]): one for one in like}
        selected: list[Reference] = []
        for one in places.values():
            for live in self.cluster.select(one, labels):
                if self.options.manager in _appliers(live):
                    name = live["metadata"]["name"]
                    selected.append(Reference(one.api_version, one.kind, name, one.namespace))
        return selected

    def _note(self, one: Reference, live: Definition | None, after: Definition | None) -> None:
        change = difference(one, live, after)
        if change is not None:
            self.touched = True
            self.diff.append(change)

    def _wait(self, one: Reference, wait: Wait) -> dict[str, Any]:
        """Wait until an object has what is waited for; returns it."""
        lacking: str | None = "it is not there"
        for _item in self._looks():
            live = self.cluster.get(one)
            try:
                lacking = unmet(wait, live) if live is not None else "it is not there"
            except NeverReady as error:
                raise EnsembleError(f"{one}: {error}") from None
            if live is not None and lacking is None:
                return live
        raise EnsembleError(f"{one} is not ready after {self.options.timeout:g} s: {lacking}")

    def _until_gone(self, ones: Iterable[Reference]) -> None:
        for one in ones:
            holding = ""
            for _item in self._looks():
                live = self._get(one)
                if live is None:
                    break
                finalizers = live["metadata"].get("finalizers") or (live.get("spec") or {}).get("finalizers") or ()
                holding = f", held by {', '.join(finalizers)}" if finalizers else ""
            else:
                raise EnsembleError(f"{one} is still there after {self.options.timeout:g} s{holding}")

    def _looks(self) -> Iterable[None]:
        """Times to look, until there is no more."""
        end, delay = monotonic() + self.options.timeout, _SOON
        while True:
            yield
            if monotonic() > end:
                return
            if self.pause(delay):
                raise Cancelled("it was cancelled")
            delay = min(delay * 2, _LATER)

    def _stop_if_cancelled(self) -> None:
        if self.pause(0):
            raise Cancelled("it was cancelled")


def _of(one: Reference, error: RequestRefused) -> RequestRefused:
    """An error that says which object it is about."""
    message = str(error.message)
    if one.name not in message or error.code == 422:
        message = f"{one}: {message}"
    return RequestRefused(message, error.code, error.reason, error.details)


def _conflicting(error: RequestRefused) -> dict[str, list[str]]:
    """The managers that an apply is in conflict with -> the fields."""
    others: dict[str, list[str]] = {}
    for cause in error.details.get("causes") or () if error.code == 409 else ():
        found = _MANAGER.search(str(cause.get("message")))
        if found is not None:
            others.setdefault(found[1], []).append(str(cause.get("field")))
    return others


def _appliers(live: Definition) -> set[str]:
    """Those who say by server-side apply what an object is to be."""
    entries: list[Mapping[str, Any]] = live["metadata"].get("managedFields") or []
    return {str(one.get("manager")) for one in entries if one.get("operation") == "Apply"}


def _conflict(one: Reference, error: RequestRefused, others: Mapping[str, list[str]]) -> RequestRefused:
    managers = "; ".join(f'"{name}" manages {", ".join(fields)}' for name, fields in others.items())
    refused = RequestRefused(f"{one} is managed by others, too: {managers}", error.code, error.reason)
    refused.hint = "leave these fields out, or take them over by force: true"
    return refused
