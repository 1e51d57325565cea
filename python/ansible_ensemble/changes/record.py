"""Records of a job and of each of its tasks (docs/rules.md, "Change ids").

The keys of the JSON form are Unfurl's, so that each of the two reads the other's records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.regex import regex

#: Interfaces whose operations are known by their bare names.
_SHORT = frozenset({"", "Standard", "Configure", "Install", "unfurl.interfaces.Install"})


def operation_name(interface: str, operation: str) -> str:
    """An operation's name in records: bare for the normative interfaces, `Interface.operation` for all others."""
    return operation if interface in _SHORT else f"{interface}.{operation}"


class ChangeRecord(Struct):
    """One task of a job.

    Attributes:
        change_id: its id.
        target: key of what it worked on: `::app`, or `::app::.requirements::db#0` for a relationship.
        operation: see `operation_name`.
        class_name: the configurator's name.
        outcome: `ok`, `error`, `skipped`, `blocked`, `cancelled` or `interrupted`.
        previous_id: the task that changed this target before; empty if none did.
        part_of: the task that ran it as a sub-task; empty if it was run by itself.
        status, state: readiness and node state of the target after it; empty if it did not report them.
        start_time, end_time: job times, see `core.clock`.
        changed: whether it changed something; None if unknown.
        inputs: inputs that were resolved.
        changes: by target, the attributes that changed; `.status` and `.added` are Unfurl's special keys.
        dependencies: what it read, as `{ref, expected, required, writeOnly}`.
        result: all the tool returned; never in the committed copy.
        digest_keys, digests: what it read and the digest of each; digest_value is the digest of them all.
        digest_put: refs that it wrote.
    """

    change_id: str
    target: str
    operation: str
    class_name: str = ""
    outcome: str = "ok"
    previous_id: str = ""
    part_of: str = ""
    status: str = ""
    state: str = ""
    priority: str = "required"
    reason: str = ""
    start_time: str = ""
    end_time: str = ""
    seconds: float | None = None
    changed: bool | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    dependencies: list[dict[str, Any]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    error: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    digest_keys: list[str] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    digest_value: str = ""
    digest_put: list[str] = field(default_factory=list)
    summary: str = ""

    def to_json(self, *, verbose: bool = False) -> dict[str, Any]:
        """The record as plain data, without what is empty.

        Args:
            verbose: with `result`, which may hold what is not safe to commit.
        """
        document: dict[str, Any] = {
            "changeId": self.change_id,
            "previousId": self.previous_id,
            "partOf": self.part_of,
            "target": self.target,
            "priority": self.priority,
            "startTime": self.start_time,
            "endTime": self.end_time,
            "seconds": self.seconds,
            "readyState": _ready_state(self.status, self.state),
            "implementation": {"operation": self.operation, "className": self.class_name},
            "reason": self.reason,
            "changed": self.changed,
            "inputs": self.inputs,
            "changes": self.changes,
            "dependencies": self.dependencies,
            "outputs": self.outputs,
            "messages": self.messages,
            "error": self.error,
            "digestKeys": ",".join(escape(key) for key in self.digest_keys),
            "digests": ",".join(self.digests),
            "digestValue": self.digest_value,
            "digestPut": ",".join(escape(key) for key in self.digest_put),
            "summary": self.summary,
        }
        if verbose:
            document["result"] = self.result
        if self.outcome != "ok":
            document["outcome"] = self.outcome
        return _without_empty(document)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> ChangeRecord:
        """Read a record, ours or Unfurl's; what is missing or of another form counts as empty."""
        ready_state, implementation = _map(document, "readyState"), _map(document, "implementation")
        status = str(ready_state.get("local") or "")
        return cls(
            change_id=_text(document, "changeId"),
            target=_text(document, "target"),
            operation=_text(implementation, "operation"),
            class_name=_text(implementation, "className"),
            outcome=_outcome(document, status),
            previous_id=_text(document, "previousId"),
            part_of=_text(document, "partOf"),
            status=status,
            state=_text(ready_state, "state"),
            priority=_text(document, "priority") or "required",
            reason=_text(document, "reason"),
            start_time=_text(document, "startTime"),
            end_time=_text(document, "endTime"),
            seconds=number(document.get("seconds")),
            changed=document.get("changed") if isinstance(document.get("changed"), bool) else None,
            inputs=_map(document, "inputs"),
            changes={str(target): change for target, change in _map(document, "changes").items()},
            dependencies=[item for item in _list(document, "dependencies") if isinstance(item, dict)],
            outputs=_map(document, "outputs"),
            messages=[str(item) for item in _list(document, "messages")],
            error=_text(document, "error"),
            result=_map(document, "result"),
            digest_keys=split_keys(_text(document, "digestKeys")),
            digests=split_keys(_text(document, "digests")),
            digest_value=_text(document, "digestValue"),
            digest_put=split_keys(_text(document, "digestPut")),
            summary=_text(document, "summary"),
        )


class JobRecord(Struct):
    """A job.

    Attributes:
        change_id: its id.
        previous_id: id of the ensemble's job before it.
        start_time, end_time: job times, see `core.clock`.
        seconds: wall time it took.
        options: the options that differ from their defaults.
        summary: counts in words.
        start_commit: the commit of the ensemble's repository it started from.
        spec_digest: digest of the spec it worked on.
        status: aggregate status at its end.
        outcome: how it ended: `ok`, `failed`, `stopped` or `interrupted`.
        error: why it is not ok.
        outputs: outputs of the topology at its end.
        inputs: inputs that last at its end, of all that jobs were given.
        changelog: path of its committed record, relative to the ensemble's folder.
        approved_by: who approved it; empty if not needed or unknown.
    """

    change_id: str
    workflow: str = ""
    previous_id: str = ""
    start_time: str = ""
    end_time: str = ""
    seconds: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    start_commit: str = ""
    spec_digest: str = ""
    status: str = ""
    outcome: str = "ok"
    outputs: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    changelog: str = ""
    approved_by: str = ""

    def to_json(self) -> dict[str, Any]:
        """The record as plain data, without what is empty: the form of `lastJob`, too."""
        return _without_empty(
            {
                "changeId": self.change_id,
                "previousId": self.previous_id,
                "startTime": self.start_time,
                "endTime": self.end_time,
                "seconds": self.seconds,
                "workflow": self.workflow,
                "approvedBy": self.approved_by,
                "options": self.options,
                "summary": self.summary,
                "startCommit": self.start_commit,
                "specDigest": self.spec_digest,
                "readyState": _ready_state(self.status, ""),
                "outcome": "" if self.outcome == "ok" else self.outcome,
                "outputs": self.outputs,
                "givenInputs": self.inputs,
                "error": self.error,
                "changelog": self.changelog,
            }
        )

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> JobRecord:
        """Read a record, ours or Unfurl's; what is missing or of another form counts as empty."""
        return cls(
            change_id=_text(document, "changeId"),
            workflow=_text(document, "workflow"),
            previous_id=_text(document, "previousId"),
            start_time=_text(document, "startTime"),
            end_time=_text(document, "endTime"),
            seconds=number(document.get("seconds")),
            options=_map(document, "options"),
            summary=_text(document, "summary"),
            start_commit=_text(document, "startCommit"),
            spec_digest=_text(document, "specDigest"),
            status=_text(_map(document, "readyState"), "local"),
            outcome=_text(document, "outcome") or "ok",
            outputs=_map(document, "outputs"),
            inputs=_map(document, "givenInputs"),
            error=_text(document, "error"),
            changelog=_text(document, "changelog"),
            approved_by=_text(document, "approvedBy"),
        )


_CAPITAL = regex("(?<=[a-z])(?=[A-Z])")


def snake_case_keys(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as results have it, for playbooks: its own keys in snake_case; values that users gave stay."""
    keyed = {_CAPITAL.sub("_", key).lower(): value for key, value in record.items()}
    if isinstance(keyed.get("implementation"), dict):
        keyed["implementation"] = snake_case_keys(keyed["implementation"])
    return keyed


_ESCAPES = {"%": "%25", ",": "%2C", "\t": "%09", "\n": "%0A", "\r": "%0D"}


def escape(text: str) -> str:
    """The text without the characters that separate keys, columns and lines."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    if "%" in text:
        for character, escaped in reversed(_ESCAPES.items()):
            text = text.replace(escaped, character)
    return text


def split_keys(text: str) -> list[str]:
    """The keys of a comma separated, escaped list."""
    return [unescape(key) for key in text.split(",")] if text else []


def number(value: Any) -> float | None:
    """The value as seconds, None if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _outcome(document: dict[str, Any], status: str) -> str:
    """How the task ended; Unfurl says only `result: skipped`, and the rest by the status."""
    if "outcome" in document:
        return str(document["outcome"])
    if document.get("result") == "skipped":
        return "skipped"
    return "error" if status in ("error", "unknown") else "ok"


def _ready_state(status: str, state: str) -> dict[str, str]:
    return {key: text for key, text in (("local", status), ("state", state)) if text}


def _without_empty(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None and value not in ("", {}, [])}


def _text(document: dict[str, Any], key: str) -> str:
    value = document.get(key)
    return "" if value is None else str(value)


def _map(document: dict[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    return value if isinstance(value, list) else []
