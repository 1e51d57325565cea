"""Helm: an operation installs, upgrades, looks at or takes away a release."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable
from typing import Any

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.helm_inputs import check_inputs, patterns_of
from ansible_ensemble.configurators.helm_objects import HelmObject, differences, status_of
from ansible_ensemble.configurators.helm_program import Helm, helm_home
from ansible_ensemble.configurators.helm_release import Release, Revision
from ansible_ensemble.configurators.helm_values import hide_secrets, shown_values
from ansible_ensemble.configurators.kubernetes import PROGRAM, cluster_of, namespace_of
from ansible_ensemble.configurators.protocol import Basis, Result, Steps, Task
from ansible_ensemble.configurators.results import to_result
from ansible_ensemble.core.orders import Order, Outcome, Request
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import Status
from ansible_ensemble.kubernetes.objects import secrets
from ansible_ensemble.topology.installations import objects_template

_DEPLOYED = "deployed"


class HelmConfigurator(BaseConfigurator):
    """Installs or upgrades a release; uninstalls it for `delete`; compares it for `check`, `discover` and a dry run.

    The inputs are the properties of `helm.Release`. What the release consists of is reported as instances, as far as
    the input `objects` names it.
    """

    name = "helm"
    keys = frozenset({"environment"})

    def render(self, task: Task) -> None:
        """Evaluate the inputs."""
        super().render(task)
        if task.operation.name != "delete":
            check_inputs(task)

    def run(self, task: Task) -> Steps:
        """Do what the operation is for."""
        with helm_home(task) as home:
            release = Release(task, Helm(task, home, namespace_of(task)))
            outcome, live = yield from release.look()
            if not outcome.ok:
                return _failure(outcome, modified=False)
            hide_secrets(task, live.values if live is not None else {})
            if only_looks(task.operation.name):
                result = yield from _look(release, live)
            elif task.operation.name == "delete":
                result = yield from _delete(release, live)
            else:
                result = yield from _bring_up(release, live)
        if result.outcome is not None and not (task.diff or task.check):
            result.outcome.diff = []
        return result


def _look(release: Release, live: Revision | None) -> Steps:
    """Compare what is there with what should be: absent; in error where a part is gone; degraded where it differs."""
    if live is None:
        return _result(release, Outcome(ok=True, changed=False), None, Status.ABSENT)
    if live.status != _DEPLOYED:
        outcome = Outcome(ok=True, changed=False, error=f"the release is {live.status}")
        return _result(release, outcome, live, Status.ERROR)
    outcome, wanted = yield from release.predict(live, newest=False)
    if wanted is None:
        return _failure(outcome, modified=False)
    by_hand, unknown = yield from changed_by_hand(release.task, live.objects, live.live)
    outcome.diff = [*_changes(release.task, live, wanted), *by_hand]
    outcome.changed = False
    edited = {str(one["before_header"]) for one in by_hand}
    result = _result(release, outcome, live, _status(live, differs=bool(outcome.diff)), edited)
    result.messages += [unknown] if unknown else []
    return result


def _status(live: Revision, *, differs: bool) -> Status:
    """The status of a release: the worst of its objects, and degraded where something is other than it should be."""
    there = {one.key for one in live.live}
    if any(one.key not in there for one in live.objects):
        return Status.ERROR
    found = {status_of(one.content)[0] for one in live.live}
    if Status.ERROR in found:
        return Status.ERROR
    return Status.DEGRADED if differs or found - {Status.OK} else Status.OK


def _bring_up(release: Release, live: Revision | None) -> Steps:
    """Install or upgrade a release, unless it is as it should be; a dry run says what would change."""
    task = release.task
    if live is not None and live.is_pending:
        if task.check:
            text = f"the release is {live.status}: what a killed job left is ended first"
            return _predicted(release, Outcome(ok=True, changed=True, diff=[{"prepared": text}]))
        outcome = yield from release.recover(live)
        if not outcome.ok:
            return _failure(outcome, modified=False)
        outcome, live = yield from release.look()
        if not outcome.ok:
            return _failure(outcome, modified=True)
    outcome, wanted = yield from release.predict(live, newest=True)
    if wanted is None:
        return _failure(outcome, modified=False)
    outcome.diff = _changes(task, live, wanted)
    outcome.changed = True
    if live is not None and live.status == _DEPLOYED and live.is_as(wanted):
        by_hand, _other = yield from changed_by_hand(release.task, live.objects, live.live)
        gone = len(live.live) < len(live.objects)
        outcome.diff, outcome.changed = by_hand, bool(by_hand) or gone
    if task.check:
        return _predicted(release, outcome)
    if outcome.changed:
        diff = outcome.diff
        outcome = yield from release.make()
        outcome.diff, outcome.changed = diff, True
        if not outcome.ok:
            result = yield from _failed(release, live, outcome)
            return result
        seen, live = yield from release.look()
        if live is None:
            return _failure(seen, modified=True)
    return _result(release, outcome, live, None)


def _failed(release: Release, before: Revision | None, outcome: Outcome) -> Steps:
    """What became of a release that could not be made: Helm may have brought it back to what it was."""
    if outcome.timed_out or outcome.cancelled:
        return _failure(outcome, modified=None)
    seen, after = yield from release.look()
    if not seen.ok:
        return _failure(outcome, modified=None)
    if before is None or after is None:
        return _failure(outcome, modified=before is not after)
    modified = before.number != after.number and not (after.status == before.status and after.is_as(before))
    return _failure(outcome, modified=modified)


def _delete(release: Release, live: Revision | None) -> Steps:
    """Take a release away; what is gone already is so."""
    if live is None:
        return _predicted(release, Outcome(ok=True, changed=False))
    diff = differences(live.live, ())
    if release.task.check:
        return _predicted(release, Outcome(ok=True, changed=True, diff=diff))
    outcome = yield from release.uninstall()
    if not outcome.ok:
        return _failure(outcome, modified=None)
    outcome.diff, outcome.changed = diff, True
    return to_result(release.task, outcome, {}, modified=True)


def _changes(task: Task, live: Revision | None, wanted: Revision) -> list[dict[str, Any]]:
    """How a release would change: chart, values and objects."""
    old, new = shown_values(task, live.values if live is not None else {}, wanted.values)
    before = {"chart": _chart(live), "values": old} if live is not None else ""
    after = {"chart": _chart(wanted), "values": new}
    changed = live is None or _chart(live) != _chart(wanted) or live.values != wanted.values
    head = {"before_header": "chart and values", "after_header": "chart and values", "before": before, "after": after}
    return [*([head] if changed else []), *differences(live.objects if live is not None else (), wanted.objects)]


def _chart(revision: Revision) -> str:
    return f"{revision.chart.get('name')} {revision.chart.get('version')}"


def _result(
    release: Release, outcome: Outcome, live: Revision | None, status: Status | None, edited: Container[str] = ()
) -> Result:
    """The result of an operation, with what is there of the release; objects that were changed by hand are `edited`."""
    values: dict[str, Any] = {}
    if live is not None:
        values = {
            "revision": live.number,
            "release_status": live.status,
            "chart_version": str(live.chart.get("version") or ""),
            "app_version": str(live.chart.get("appVersion") or ""),
        }
    outcome.result = dict(values)
    result = to_result(release.task, outcome, values, outcome.changed)
    result.basis = Basis.REAL
    result.status = status
    waited = bool(outcome.changed) and release.task.inputs.get("wait") is True
    result.instances += _instances(release.task, live, edited, waited=waited)
    return result


def _instances(task: Task, live: Revision | None, edited: Container[str], *, waited: bool) -> list[dict[str, Any]]:
    """What the release made, as instances that it manages; what it has no more is absent.

    What Helm has waited for is well, though its controller may not say so yet.
    """
    own, template = task.query(".name"), objects_template(task.query(".tosca_name"))
    found = {one.key: one.content for one in live.live} if live is not None else {}
    items: dict[str, dict[str, Any]] = {
        name: {"readyState": {"local": Status.ABSENT.value}, "attributes": {"message": "it is gone"}}
        for name in task.query("::*::.name") or ()
        if name.startswith(f"{own}/") and name != template
    }
    for one in live.objects if live is not None else ():
        if one.key in found and one.is_one_of(patterns_of(task)):
            status, message = (Status.OK, "") if waited else status_of(found[one.key])
            if one.shown in edited and status is Status.OK:
                status, message = Status.DEGRADED, "it was changed by hand"
            values = {"kind": one.kind, "name": one.name, "namespace": one.namespace, "api_version": one.api_version}
            items[_instance_name(own, one, live)] = {
                "template": template,
                "parent": "SELF",
                "attributes": {**values, "message": message},
                "readyState": {"local": status.value},
            }
    return [{"name": name, **item} for name, item in items.items()]


def _instance_name(own: str, one: HelmObject, live: Revision | None) -> str:
    """The name of the instance that an object is; the namespace is in it where it is not that of the release."""
    within = "" if live is None or one.namespace == live.namespace else f"{one.namespace}/"
    return f"{own}/{within}{one.title}"


def _predicted(release: Release, outcome: Outcome) -> Result:
    """The result of a dry run, or of an operation that had nothing to do."""
    return to_result(release.task, outcome, {}, modified=outcome.changed)


def _failure(outcome: Outcome, *, modified: bool | None) -> Result:
    return Result(success=False, modified=modified, outcome=outcome, error=outcome.error)


#: Who manages the fields that Helm sets.
_MANAGER = "helm"


def changed_by_hand(
    task: Task, wanted: Iterable[HelmObject], live: Iterable[HelmObject]
) -> Generator[Order, Outcome, tuple[list[dict[str, Any]], str | None]]:
    """How objects differ from what applying them again would make of them, and why that is not known if it is not.

    The API server tells it: it fills in defaults and writes quantities in its own way. An object that is gone is none.
    """
    there = {one.key for one in live}
    compared = [one for one in wanted if one.key in there]
    if not compared:
        return [], None
    environment = implementation_environment(task)
    asked = {
        "action": "look",
        "cluster": cluster_of(task, environment),
        "environment": dict(environment),
        "folder": str(task.base),
        "namespace": compared[0].namespace,
        "objects": [dict(one.content) for one in compared],
        "earlier": [],
        "known": [],
        "options": {"manager": _MANAGER},
        "dry_run": True,
        "guest": False,
    }
    outcome = yield Request(PROGRAM, asked, task.timeout)
    for one in outcome.result.get("objects") or ():
        for secret in secrets(one["object"] or {}):
            task.hide(secret)
    if not outcome.ok:
        return [], f"nobody looked for objects that were changed by hand: {outcome.error}"
    return list(outcome.diff), None
