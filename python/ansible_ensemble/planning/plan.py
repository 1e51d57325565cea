"""The plan: a graph of operations, each with a reason and a diff. Pure data, with a versioned JSON form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.json_text import json_text
from ansible_ensemble.core.sensitive import REDACTED, redact
from ansible_ensemble.documents.shape import Shape, misfit
from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.planning.planned_operation import PlannedOperation

#: What a plan's document says it is: an ensemble, or a plan of Terraform, may be JSON as well.
KIND = {"apiVersion": "tosca-ensemble/v1", "kind": "Plan"}
#: Version of the JSON form; the major number changes when a reader has to change.
FORMAT_VERSION = "2.0"


class ValueChange(Struct):
    """One value that a plan changes.

    Attributes:
        kind: `property`, `attribute`, `input`, `state`, or `content` (a file, an implementation: known by a digest).
        name: its name, dotted for a nested value.
        before, after: old and new value; None where there is none.
        unknown: the new value is known after the job.
        sensitive: neither value may be shown.
    """

    kind: str
    name: str
    before: object = None
    after: object = None
    unknown: bool = False
    sensitive: bool = False


class InstanceChange(Struct):
    """What the plan does to one instance.

    Attributes:
        reason: why; reason_text: the same in words, where it says more than the reason's own.
        changes: the values that change.
        operations: keys of its operations, in order.
        leaves: what undeploy will leave of what it makes, in words; empty if nothing is known to stay.
        found: what the last check of one that is repaired found: `operation`, `verb` (`found` or `failed`), `error`,
            `drift` and `diff`; None where nothing is known.
    """

    instance: str
    template: str
    type: str
    action: Action
    reason: Reason
    reason_text: str = ""
    status: str | None = None
    changes: list[ValueChange] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)
    found: dict[str, Any] | None = None
    leaves: str = ""


class Exclusion(Struct):
    """An instance that the workflow leaves alone, and why.

    Attributes:
        unknown: it could not be compared with the specification.
    """

    instance: str
    reason: str
    unknown: bool = False


class Plan(Struct):
    """A plan.

    Attributes:
        base: digests of what it was made from (`spec`, `status`, `inputs`, `hosts`); a saved plan is stale when they
            differ.
        files: digests of the files that its operations run, copy and render, by their names in the project.
        inventory: digests of the variables of each host of the inventory, in a plan that is saved for another job.
        options: the job options that differ from their defaults.
        inputs: inputs that are not as the specification has them, each its `name`, `value`, the one `before` where it
            changes, its `origin`, and whether it is `sensitive`.
        not_compared: what cannot be compared with what was read -> the instances that read it and are left as they are.
        moved: instances that got another name: old name -> new name.
        job: the change id of the job that carries it out, once there is one.
        template: path of the service template that the ensemble was yet to be made for.
    """

    workflow: str
    ensemble: str
    base: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    inventory: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    instances: list[InstanceChange] = field(default_factory=list)
    operations: list[PlannedOperation] = field(default_factory=list)
    excluded: list[Exclusion] = field(default_factory=list)
    outputs: list[ValueChange] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    not_compared: dict[str, list[str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    job: str = ""
    template: str = ""

    @property
    def summary(self) -> dict[str, int]:
        """Counts of instances to add, change, destroy, forget, read and run on; a replacement adds and destroys.

        What no delete operation runs for is forgotten, and not destroyed.
        """
        deleted = {one.instance for one in self.operations if one.operation == "delete" and one.implementation}
        count = dict.fromkeys(chain.from_iterable(action.counts for action in Action), 0)
        for change in self.instances:
            for name in change.action.counts:
                count["forget" if name == "destroy" and change.instance not in deleted else name] += 1
        return count

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.operations

    def to_json(self) -> dict[str, Any]:
        """The JSON document. Sensitive values are redacted; names are Terraform's where the thing is the same."""
        return {
            **KIND,
            "format_version": FORMAT_VERSION,
            "workflow": self.workflow,
            "ensemble": self.ensemble,
            "template": self.template,
            "job": self.job,
            "base": self.base,
            "files": self.files,
            "inventory": self.inventory,
            "options": redact(self.options),
            "inputs": self.inputs,
            "resource_changes": [_instance_json(change) for change in self.instances],
            "operations": [operation.to_json() for operation in self.operations],
            "output_changes": {change.name: _changes_json(Action.NONE.names, [change]) for change in self.outputs},
            "excluded": [_exclusion_json(exclusion) for exclusion in self.excluded],
            "warnings": self.warnings,
            "not_compared": self.not_compared,
            "moved": [{"previous_address": old, "address": new} for old, new in self.moved.items()],
            "summary": self.summary,
        }

    @classmethod
    def from_json(cls, document: Any) -> Plan:
        """Read the JSON document back."""
        if not _is_kind(document) or "format_version" not in document:
            raise InvalidInput("this is not a plan", hint="make one with `ansible-ensemble plan --out FILE`")
        version = str(document["format_version"])
        if version.split(".", maxsplit=1)[0] != FORMAT_VERSION.split(".", maxsplit=1)[0]:
            raise InvalidInput(f"the plan has format {version}, this version reads {FORMAT_VERSION}")
        problem = misfit(document, PLAN)
        if problem is not None:
            raise InvalidInput(f"the plan is damaged: {problem}", hint="make a new one")
        try:
            return cls(
                workflow=document["workflow"],
                ensemble=document["ensemble"],
                base=document["base"],
                files=document.get("files", {}),
                inventory=document.get("inventory", {}),
                options=document["options"],
                inputs=document.get("inputs", []),
                instances=[_instance_from_json(item) for item in document["resource_changes"]],
                operations=[PlannedOperation.from_json(item) for item in document["operations"]],
                excluded=[Exclusion(**item) for item in document["excluded"]],
                outputs=[
                    ValueChange(**one) for change in document["output_changes"].values() for one in change["values"]
                ],
                warnings=document["warnings"],
                not_compared=document.get("not_compared", {}),
                moved={item["previous_address"]: item["address"] for item in document.get("moved", ())},
                job=document.get("job", ""),
                template=document.get("template", ""),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"the plan is damaged: {error}", hint="make a new one") from error

    def to_text(self) -> str:
        """The JSON document as text for a saved plan, without `found`."""
        document = self.to_json()
        for change in document["resource_changes"]:
            change.pop("found", None)
        return plan_document_text(document)


def plan_document_text(document: Mapping[str, Any]) -> str:
    """A plan's JSON document as text, one line per operation short enough to diff."""
    return json_text(document, indent=1, ensure_ascii=False) + "\n"


def is_plan(text: str) -> bool:
    """Whether a text begins as a plan's document."""
    try:
        return text.startswith(json.dumps(KIND, indent=1).removesuffix("\n}")) or _is_kind(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _is_kind(document: object) -> bool:
    return isinstance(document, dict) and all(document.get(key) == value for key, value in KIND.items())


def _changes_json(actions: tuple[str, ...], changes: list[ValueChange]) -> dict[str, Any]:
    return {
        "actions": list(actions),
        "before": {c.name: _shown(c, c.before) for c in changes if c.before is not None} or None,
        "after": {c.name: _shown(c, c.after) for c in changes if c.after is not None} or None,
        "after_unknown": {c.name: True for c in changes if c.unknown},
        "before_sensitive": {c.name: True for c in changes if c.sensitive},
        "after_sensitive": {c.name: True for c in changes if c.sensitive},
        "values": [{**asdict(c), "before": _shown(c, c.before), "after": _shown(c, c.after)} for c in changes],
    }


def _shown(change: ValueChange, value: object) -> object:
    return REDACTED if change.sensitive and value is not None else redact(value)


def _exclusion_json(exclusion: Exclusion) -> dict[str, Any]:
    document = {"instance": exclusion.instance, "reason": exclusion.reason}
    return {**document, "unknown": True} if exclusion.unknown else document


def _instance_json(change: InstanceChange) -> dict[str, Any]:
    return {
        "address": change.instance,
        "name": change.instance,
        "template": change.template,
        "type": change.type,
        "mode": "managed",
        "symbol": change.action.value,
        "action_reason": change.reason.value,
        "reason": change.reason_text or change.reason.words,
        "status": change.status,
        "change": _changes_json(change.action.names, change.changes),
        "operations": change.operations,
        **({"leaves": change.leaves} if change.leaves else {}),
        **({"found": change.found} if change.found else {}),
    }


def _instance_from_json(item: dict[str, Any]) -> InstanceChange:
    return InstanceChange(
        instance=item["address"],
        template=item["template"],
        type=item["type"],
        action=Action(item["symbol"]),
        reason=Reason(item["action_reason"]),
        reason_text=item["reason"],
        status=item["status"],
        changes=[ValueChange(**value) for value in item["change"]["values"]],
        operations=item["operations"],
        found=item.get("found"),
        leaves=item.get("leaves", ""),
    )


_TEXT = (str, None)
_VALUE: Shape = {"kind": str, "name": str, "unknown?": bool, "sensitive?": bool}
_CHANGE: Shape = {"values": [_VALUE]}
_ORIGIN: Shape = {"policy?": str, "workflow?": str}
_ASSIGNED: Shape = {"values": dict, "origin?": _ORIGIN}
_ORIGIN["given?"] = _ASSIGNED
_GUARD: Shape = {
    "branch?": {"succeeded": [str], "failed": [str]},
    "condition?": list,
    "condition_of?": str,
    "unless_ok?": bool,
    "only_if_absent?": bool,
    "unless_absent?": bool,
    "unless_unchanged?": str,
    "only_if_reads_changed?": bool,
    "only_if_brought_up?": str,
    "only_if_made_anew?": str,
    "only_if_attributes_changed?": str,
}

PLAN: Shape = {
    "workflow": str,
    "ensemble": str,
    "template?": str,
    "job?": str,
    "base": {"*": str},
    "files?": {"*": str},
    "options": {"inputs?": dict, "variables?": dict},
    "inputs?": [{"name": str, "origin": str, "sensitive": bool}],
    "resource_changes": [
        {
            "address": str,
            "template": str,
            "type": str,
            "symbol": str,
            "action_reason": str,
            "reason": str,
            "status": (Status, None),
            "change": _CHANGE,
            "operations": [str],
            "leaves?": str,
            "found?": {"operation": str, "verb": str, "error": str, "drift": [dict], "diff": [dict]},
        }
    ],
    "operations": [
        {
            "key": str,
            "instance": str,
            "template": str,
            "interface": str,
            "operation": str,
            "reason": str,
            "workflow": str,
            "relationship?": _TEXT,
            "implementation?": str,
            "host?": str,
            "waits_for?": [str],
            "waits_end?": [str],
            "serial?": [str],
            "priority?": Priority,
            "entry_state?": (NodeState, None),
            "exit_state?": (NodeState, None),
            "exit_status?": (Status, None),
            "guard?": _GUARD,
            "target?": str,
            "retry?": {"retries?": int, "backoff?": float},
            "pause?": float,
            "inputs?": dict,
            "assigned?": _ASSIGNED,
            "command?": {"command?": [str], "host?": str, "module?": str, "workflow?": str},
            "paths?": [{"path": str, "host?": str, "bare?": bool}],
            "overwritten?": [str],
            "instead?": dict,
            "followed?": [str],
            "handlers?": [str],
            "prediction?": {"changed?": bool, "diff?": [dict], "found?": Status, "unpredictable?": str},
        }
    ],
    "excluded": [{"instance": str, "reason": str, "unknown?": bool}],
    "output_changes": {"*": _CHANGE},
    "warnings": [str],
    "not_compared?": {"*": [str]},
    "moved?": [{"previous_address": str, "address": str}],
}
