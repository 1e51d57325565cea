"""A release as Helm has it, and what Helm does with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from ansible_ensemble.configurators.helm_inputs import (
    arguments_of,
    chart_of,
    is_pinned,
    release_name,
    repository_of,
    wait_arguments,
)
from ansible_ensemble.configurators.helm_objects import HelmObject, as_objects, objects_of
from ansible_ensemble.configurators.helm_program import Answered, Helm, Ordered
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.orders import Order, Outcome
from ansible_ensemble.core.sensitive import reveal

#: A label of each revision that a job makes: its number, as later ones of other people have the label of those before,
#: and whose it is.
_LABEL = "ansible-ensemble"
_PENDING = "pending-"
_GONE = ("uninstalled", "uninstalling")


class Revision(Struct):
    """A revision of a release, as Helm answers.

    Attributes:
        answer: what helm said.
    """

    answer: Mapping[str, Any]

    @property
    def number(self) -> int:
        """Its number; the first is 1."""
        return int(self.answer.get("version") or 0)

    @property
    def status(self) -> str:
        """Helm's word for how it is, as `deployed`."""
        return str((self.answer.get("info") or {}).get("status") or "")

    @property
    def is_pending(self) -> bool:
        """Whether Helm is at work on it, or was killed while it was."""
        return self.status.startswith(_PENDING)

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return str(self.answer.get("namespace") or "")

    @property
    def values(self) -> Mapping[str, Any]:
        """The values that it was given."""
        return self.answer.get("config") or {}

    @property
    def chart(self) -> Mapping[str, Any]:
        """Name, version and appVersion of the chart."""
        found: Mapping[str, Any] = (self.answer.get("chart") or {}).get("metadata") or {}
        return found

    @property
    def manifest(self) -> str:
        """Its objects, as text."""
        return str(self.answer.get("manifest") or "")

    @property
    def objects(self) -> list[HelmObject]:
        """The objects that it consists of."""
        return objects_of(self.manifest, self.namespace)

    @property
    def live(self) -> list[HelmObject]:
        """Those of them that are there, as the cluster has them; Helm tells their pods as well."""
        resources = (self.answer.get("info") or {}).get("resources") or {}
        found = as_objects((one for some in resources.values() for one in some), self.namespace)
        own = {one.key for one in self.objects}
        return [one for one in found if one.key in own]

    def is_as(self, other: Revision) -> bool:
        """Whether another one is made of the same chart and values, and of the same objects."""
        versions = [one.chart.get("version") for one in (self, other)]
        return (self.values, self.manifest, versions[0]) == (other.values, other.manifest, versions[1])


Looked = Generator[Order, Outcome, tuple[Outcome, Revision | None]]


@dataclass(slots=True)
class Release:
    """A release and its task: what Helm knows of it, would make of it, and makes.

    Attributes:
        last: the number of the last revision, be it one that was taken away.
    """

    task: Task
    helm: Helm
    name: str = field(init=False)
    last: int = 0

    def __post_init__(self) -> None:
        self.name = release_name(self.task)

    def look(self) -> Looked:
        """The last revision; None where there is no release, or none any more."""
        outcome, answer = yield from self.helm.answer("status", self.name, "--show-resources", "--output", "json")
        if not outcome.ok:
            is_gone = "release: not found" in outcome.stderr
            return (Outcome(ok=True, changed=False) if is_gone else outcome), None
        found = Revision(answer)
        self.last = found.number
        if found.status in _GONE:
            return outcome, None
        outcome, chart = yield from self.helm.answer("get", "metadata", self.name, "--output", "json")
        if not outcome.ok:
            return outcome, None
        return outcome, Revision({**answer, "chart": {"metadata": {**chart, "name": chart.get("chart")}}})

    def predict(self, live: Revision | None, *, newest: bool) -> Looked:
        """The revision that an upgrade would make; but for `newest`, of the chart's version that is there."""
        repository = repository_of(self.task)
        if repository is not None:
            added = yield from self.helm.add(repository)
            if not added.ok:
                return added, None
        chart = chart_of(self.task, repository)
        version = live.chart.get("version") if live is not None and not newest else None
        pin = ["--version", str(version)] if version and not is_pinned(self.task, chart) else []
        outcome, answer = yield from self._upgrade(chart, "--dry-run=server", *pin)
        return outcome, Revision(answer) if outcome.ok else None

    def make(self) -> Ordered:
        """Install or upgrade it; `predict` came before."""
        chart = chart_of(self.task, repository_of(self.task))
        outcome, _other = yield from self._upgrade(chart, "--labels", self._label(self.last + 1))
        return outcome

    def _upgrade(self, chart: str, *more: str) -> Answered:
        arguments, stdin = arguments_of(self.task, chart, self.helm.home)
        answered = yield from self.helm.answer("upgrade", *arguments, *more, stdin=stdin)
        return answered

    def uninstall(self) -> Ordered:
        """Take it away."""
        keep = ["--keep-history"] if self.task.inputs.get("keep_history") is True else []
        hooks = ["--no-hooks"] if self.task.inputs.get("no_hooks") is True else []
        outcome = yield from self.helm.run("uninstall", self.name, *keep, *hooks, *wait_arguments(self.task))
        return outcome

    def recover(self, pending: Revision) -> Ordered:
        """Bring a release that a killed job left pending back to its last revision that worked, or away.

        Only what a job of this ensemble began is ended so: it would run still if it were alive, under the lock. What
        somebody else began may be at work.
        """
        ours = yield from self._is_ours(pending)
        if not ours:
            text = (
                f"the release {self.name} is {pending.status}: somebody else works on it, or was stopped; "
                f"`helm rollback {self.name}` or `helm uninstall {self.name}` ends that"
            )
            return Outcome(ok=False, error=text)
        outcome, history = yield from self.helm.answer("history", self.name, "--output", "json")
        if not outcome.ok:
            return outcome
        worked = [one["revision"] for one in history if one.get("status") == "deployed"]
        if worked:
            outcome = yield from self.helm.run("rollback", self.name, str(worked[-1]), *wait_arguments(self.task)[-2:])
        else:
            outcome = yield from self.helm.run("uninstall", self.name, *wait_arguments(self.task))
        return outcome

    def _is_ours(self, pending: Revision) -> Generator[Order, Outcome, bool]:
        """Whether a job of this instance made a revision: it has the label with its own number."""
        wanted = ("--pending", "--filter", f"^{self.name}$", "--selector", self._label(pending.number))
        outcome, found = yield from self.helm.answer("list", *wanted, "--output", "json")
        return outcome.ok and bool(found)

    def _label(self, number: int) -> str:
        """The label of a revision that a job of this ensemble makes for this instance."""
        named = {"name": {"eval": ".name"}, "ensemble": {"eval": {"get_ensemble_metadata": "deployment"}}}
        owner = json.dumps(reveal(self.task.evaluate(named)), sort_keys=True)
        return f"{_LABEL}={number}.{hashlib.sha256(owner.encode()).hexdigest()[:16]}"
