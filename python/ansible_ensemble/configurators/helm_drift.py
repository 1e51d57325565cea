"""Objects of a release that somebody changed by hand."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.helm_objects import HelmObject
from ansible_ensemble.configurators.kubernetes import PROGRAM, cluster_of
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.orders import Order, Outcome, Request
from ansible_ensemble.kubernetes.objects import secrets

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
