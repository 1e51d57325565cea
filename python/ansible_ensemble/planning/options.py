"""The options of planning."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ansible_ensemble.core.option import option

_DEPLOYING = ("plan", "graph", "deploy")
_SELECTING = (*_DEPLOYING, "undeploy", "check", "discover", "start", "stop", "run")

_WHICH: dict[str, Any] = {
    "heading": "instances",
    "metavar": "NAME",
    "commands": _SELECTING,
    "modules": ("plan", "execute"),  # those of the plan, or it is refused
}
_DONE: dict[str, Any] = {"heading": "planning", "commands": _DEPLOYING, "modules": ("plan",)}
_RUNS: dict[str, Any] = _WHICH | {"heading": "operation or command", "commands": ("run",), "modules": ("plan",)}
_SET_OFF: dict[str, Any] = {"heading": "event", "modules": ("plan",)}


@dataclass(slots=True)
class PlanOptions:
    """Options of planning, named as in Unfurl; but `--check` is the dry run, as in Ansible."""

    instances: list[str] = option(
        [], "Limit the job to the instances of these names", "--instance", alias="instance", **_WHICH
    )
    limit: str | None = option(
        None,
        "Limit the job to what this pattern matches, as in Ansible: instances, hosts and groups, with all they host",
        "-l",
        "--limit",
        details=(
            "The names are those of instances, of hosts and groups of the inventory, and of groups of instances: "
            "`template_app`, `type_tosca_nodes_Compute`, `status_error`, `state_started`, and those of the topology.",
        ),
        **_WHICH | {"metavar": "PATTERN"},
    )
    templates: list[str] = option(
        [], "Limit the job to the instances of these node templates", "--template", alias="template", **_WHICH
    )
    repair: str = option(
        "error",
        "Repair broken instances",
        "--repair",
        choices=("error", "degraded", "none"),
        details=("`error` repairs those in error, `degraded` also the degraded ones, `none` none.",),
        **_DONE,
    )
    change_detection: str = option(
        "evaluate",
        "How to detect configuration changes of existing instances",
        "--change-detection",
        choices=("evaluate", "always", "skip"),
        details=(
            "`evaluate` compares the values that their last configuration read with the current ones, `always` does so "
            "even for instances marked as customized, `skip` disables it.",
        ),
        **_DONE,
    )
    service_template: str | None = option(
        None,
        "Have the ensemble follow this service template from now on, instead of the one that it names",
        "--service-template",
        metavar="FILE",
        details=(
            "A deploy writes it into the ensemble. "
            "As a variable it is relative to the ensemble's folder, for the command to the working directory.",
        ),
        **_DONE,
    )
    skip_new: bool = option(False, "Do not create instances of new node templates", "--skip-new", **_DONE)
    prune: bool = option(False, "Delete instances that are no longer in the topology", "--prune", **_DONE)
    upgrade: bool = option(False, "Apply new major versions of types", "--upgrade", **_DONE)
    replace: list[str] = option([], "Delete and recreate these instances", "--replace", metavar="NAME", **_DONE)
    check_first: bool = option(
        False, "Before an instance is created, run its check operation; create only what is absent", "--check-first",
        **_DONE,
    )  # fmt: skip
    force: bool = option(
        False,
        "Run operations regardless of status; when undeploying, also delete what others require",
        "--force",
        **_DONE | {"commands": (*_DEPLOYING, "undeploy", "run", "notify")},
    )
    destroy_unmanaged: bool = option(
        False,
        "Also delete instances that this ensemble did not create",
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
        "Run this command for each instance; it may contain expressions",
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
        None, "Data that the operations of `trigger` get as their input `notification`", **_SET_OFF
    )

    @property
    def is_limited(self) -> bool:
        """Whether the job is for some of the instances."""
        return bool(self.instances or self.templates or self.limit)

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, for records."""
        defaults = type(self)()
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in given.items() if value != getattr(defaults, name)}
