"""The options that decide what a plan holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ansible_ensemble.core.sparse import sparse


@dataclass(slots=True)
class PlanOptions:
    """Options of planning; the names of the seed, `--check` apart, which Ansible's users know as the dry run.

    Attributes:
        instances, templates: names the job is limited to; empty is all.
        repair: `error`, `degraded` (both) or `none`.
        change_detection: `evaluate`, `always` (ignores `customized`) or `skip`.
        skip_new: make no instances of new templates.
        check_first: run check operations before an instance is created (the seed's `--check`).
        force: run operations whatever the status; on undeploy, also what others need.
        upgrade: take over new major versions.
        prune: delete what left the spec.
        replace: names of instances to delete and create anew.
        destroy_unmanaged: also delete what this ensemble did not create.
        operation: the operation of a `run` job, `Interface.operation` or a bare name.
        command: the shell command or module arguments of a `run` job.
        host, module: where and by which Ansible module a `run` job's command runs.
        trigger: the event, or name of a trigger, of a `notify` job; notification: its data, for the actions.
    """

    instances: list[str] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    repair: str = "error"
    change_detection: str = "evaluate"
    skip_new: bool = False
    check_first: bool = False
    force: bool = False
    upgrade: bool = False
    prune: bool = False
    replace: list[str] = field(default_factory=list)
    destroy_unmanaged: bool = False
    operation: str | None = None
    command: list[str] = field(default_factory=list)
    host: str | None = None
    module: str | None = None
    trigger: str | None = None
    notification: Any = None

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, for records."""
        changed: dict[str, Any] = sparse(self)
        return changed
