"""A plan's symbols and reasons in words, for every rendering of it."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.reports.values import clean


def legend(plan: dict[str, Any]) -> list[Action]:
    """The actions of a plan, each once, in the order of legends; what stays as it is needs no words."""
    used = {change["symbol"] for change in plan["resource_changes"]}
    return [action for action in Action if action.meaning and action.value in used]


def fate(change: dict[str, Any]) -> str:
    """What happens to an instance, with the reason: `will be created (new)`."""
    action, reason = Action(change["symbol"]), Reason(change["action_reason"])
    words = reason.fate if reason.fate and action in (Action.READ, Action.RUN) else action.fate
    return f"{words} ({change['reason']})" if change["reason"] else words


def handlers_of(operations: list[dict[str, Any]]) -> list[str]:
    """The handlers that operations may run, each once."""
    return list(dict.fromkeys(clean(name) for operation in operations for name in operation.get("handlers", ())))


def summary_line(plan: dict[str, Any]) -> str:
    """The last line of a plan: `Plan: 2 to add, 1 to change, 1 to destroy.` or that nothing changes."""
    if is_empty(plan):
        return f"{'' if is_unsure(plan) else 'No changes. '}{_nothing(plan)}"
    summary = plan["summary"]
    parts = [f"{summary[name]} to {name}" for name in ("add", "change", "destroy")]
    parts += [f"{summary[name]} to {name}" for name in ("use", "forget", "read", "run") if summary.get(name)]
    return f"Plan: {', '.join(parts)}."


def _nothing(plan: dict[str, Any]) -> str:
    """Why a plan does nothing, as far as it looked: what is left alone need not match the specification."""
    workflow, options = plan["workflow"], plan["options"]
    names = list(dict.fromkeys(clean(str(item["instance"])) for item in plan["excluded"]))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    alone = f"Left alone: {', '.join(names[:_NAMED])}{more}. " if names else ""
    if workflow == "deploy" and options.get("change_detection") != "skip":
        limited = options.get("instances") or options.get("templates") or options.get("limit")
        what = "What else the filter names" if limited and names else "What the filter names" if limited else ""
        what = what or ("Everything else" if names else "Everything")
        compared = " that can be compared" if plan.get("not_compared") else ""
        return f"{alone}{what}{compared} matches the specification."
    if names:
        return f"{alone}There is nothing else to do."
    return _NOTHING.get(workflow, "There is nothing to do.")


_NAMED = 5
_NOTHING = {
    "undeploy": "There is nothing to undeploy.",
    "check": "There is nothing to check: no existing instance has a check operation.",
    "discover": "There is nothing to discover.",
    "start": "There is nothing to start.",
    "stop": "There is nothing to stop.",
}


def is_empty(plan: dict[str, Any]) -> bool:
    """Whether the plan does nothing."""
    return not plan["operations"] and not any(plan["summary"].values())


def is_unsure(plan: dict[str, Any]) -> bool:
    """Whether the plan leaves something alone that could not be compared with the specification."""
    return any(item.get("unknown") for item in plan["excluded"])


def running(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The operations that run something, by key; the others only move an instance's state on."""
    return {operation["key"]: operation for operation in plan["operations"] if operation["implementation"]}


def would_change(prediction: dict[str, Any]) -> str:
    """What an operation would do, by its dry run.

    Args:
        prediction: an operation's `prediction`: `found` (a status); or `changed`, and perhaps `diff` as Ansible
            modules give it.
    """
    if prediction.get("found"):
        return f"finds {prediction['found']}"
    return "would change something" if prediction.get("changed") else "would change nothing"


#: TOSCA's words for where an operation runs, as people say it.
_PLACES = {
    "SELF": "on itself",
    "HOST": "on its host",
    "SOURCE": "on the source",
    "TARGET": "on the target",
    "ORCHESTRATOR": "on localhost",
}


def where_it_runs(operation: dict[str, Any]) -> str:
    """Where an operation runs, in words: `on web1`, or `on its host` where a plan cannot know more.

    Args:
        operation: its `host` is a keyword, an instance, or a host of the inventory; `node` is a node of a mesh, if it
            has one.
    """
    if operation.get("node"):
        return f"on node {clean(operation['node'])}"
    host = operation["host"]
    return _PLACES.get(host) or f"on {clean(host)}"
