"""The options that decide what a plan holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ansible_ensemble.core.option import option
from ansible_ensemble.core.sparse import sparse

_DEPLOYING = ("plan", "graph", "deploy")
_SELECTING = (*_DEPLOYING, "undeploy", "check", "discover", "start", "stop", "run")

_WHICH: dict[str, Any] = {"heading": "which instances", "metavar": "NAME", "commands": _SELECTING, "modules": ("plan",)}
_DONE: dict[str, Any] = {"heading": "what is done", "commands": _DEPLOYING, "modules": ("plan",)}
_RUNS: dict[str, Any] = {"heading": "what runs", "metavar": "NAME", "commands": ("run",), "modules": ("plan",)}
_SET_OFF: dict[str, Any] = {"heading": "what sets it off", "modules": ("plan",)}


@dataclass(slots=True)
class PlanOptions:
    """Options of planning; the names of the seed, `--check` apart, which Ansible's users know as the dry run."""

    instances: list[str] = option(
        [], "Limit the job to the instances of these names", "--instance", alias="instance", **_WHICH
    )
    templates: list[str] = option(
        [], "Limit the job to the instances of these node templates", "--template", alias="template", **_WHICH
    )
    repair: str = option(
        "error",
        "Repair instances that should work and do not",
        "--repair",
        choices=("error", "degraded", "none"),
        details=("`error` repairs those in error, `degraded` also the degraded ones, `none` none.",),
        **_DONE,
    )
    change_detection: str = option(
        "evaluate",
        "How to find existing instances whose configuration has changed",
        "--change-detection",
        choices=("evaluate", "always", "skip"),
        details=(
            "`evaluate` compares what their last configuration read with what it is now, `always` does so even for "
            "instances marked as customized, `skip` does not look.",
        ),
        **_DONE,
    )
    skip_new: bool = option(False, "Make no instances of new node templates", "--skip-new", **_DONE)
    prune: bool = option(False, "Delete instances that the topology no longer holds", "--prune", **_DONE)
    upgrade: bool = option(False, "Take over changes of major versions of types", "--upgrade", **_DONE)
    replace: list[str] = option([], "Delete these instances and create them anew", "--replace", metavar="NAME", **_DONE)
    check_first: bool = option(
        False, "Before an instance is created, run its check operation; create only what is absent", "--check-first",
        **_DONE,
    )  # fmt: skip
    force: bool = option(
        False,
        "Run operations whatever the status is; when undeploying, also delete what others still need",
        "--force",
        **_DONE | {"commands": (*_DEPLOYING, "undeploy", "run", "notify")},
    )
    destroy_unmanaged: bool = option(
        False,
        "Also delete what this ensemble did not create",
        "--destroyunmanaged",
        "--destroy-unmanaged",
        **_DONE | {"commands": (*_DEPLOYING, "undeploy")},
    )
    operation: str | None = option(
        None,
        "Run this operation on each instance that has it, as `Interface.operation` or by its name alone",
        "--operation",
        details=("For the workflow `run`.",),
        **_RUNS,
    )
    command: list[str] = option(
        [],
        "Run this command for each instance; it may hold expressions",
        "--",
        details=("For the workflow `run`, instead of `operation`.",),
        **_RUNS | {"metavar": "COMMAND"},
    )
    module: str | None = option(None, "Give the command to this Ansible module, as its arguments", "--module", **_RUNS)
    host: str | None = option(None, "Run the command on this instance or inventory host", "--host", **_RUNS)
    trigger: str | None = option(
        None, "The event, or the name of a policy's trigger, of the workflow `notify`", **_SET_OFF
    )
    notification: Any = option(
        None, "What the operations that `trigger` sets off get as their input `notification`", **_SET_OFF
    )

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, for records."""
        changed: dict[str, Any] = sparse(self)
        return changed
