"""A plan that is made and not executed, and the instances that it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import EnsembleError, UsageError
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.hosts import all_groups
from ansible_ensemble.ensembles.job_inputs import lost_values
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.readiness import aggregate
from ansible_ensemble.jobs.rollback import WORKFLOW, at_earlier, rollback_warnings
from ansible_ensemble.jobs.stored_state import fetch_state, read_current
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.used import is_used
from ansible_ensemble.projects.trust import is_trusted
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.job_plan import plan_job
from ansible_ensemble.records.repositories import check_upstreams


class PlanOutcome(Struct):
    """A plan that was made and not executed."""

    plan: Plan
    ensemble: Ensemble
    document: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tell()

    def _tell(self) -> None:
        self.document = self.ensemble.redactor.data(self.plan.to_json())

    def warn(self, texts: Sequence[str]) -> None:
        """Add warnings to the plan."""
        if texts:
            self.plan.warnings.extend(texts)
            self._tell()

    def save(self, path: Path) -> None:
        """Save the plan so that `deploy PATH` executes it."""
        from ansible_ensemble.records.saved_plans import note_inventory, save_plan

        note_inventory(self.plan, self.ensemble)
        self._tell()
        save_plan(self.plan.to_text(), path)

    @property
    def wanted_again(self) -> list[str]:
        """What a saved plan does not have and its job is to be given again: sensitive inputs and variables."""
        lost = lost_values(self.plan.options)
        return [f"{kind[:-1]} {name}" for kind, names in lost.items() for name in names]

    def with_instances(self) -> dict[str, Any]:
        """The document, with `instances` and the members of each of the topology's `groups`, as graphs are drawn of.

        Of each instance its `name`, `type`, `host`, `status`, `state`, whether it is `used`, and whom it `needs`.
        """
        read = self.ensemble
        needs = read.requirements()
        aggregate(read.instances, needs)
        instances = [
            {
                "name": instance.name,
                "type": read.topology.node_templates[instance.template].type.name,
                "host": instance.host,
                "status": (instance.effective or instance.status).value,
                "state": instance.state.value if instance.state else None,
                "used": is_used(read.topology.node_templates[instance.template]),
                "needs": [name for name in (instance.host, *needs.get(instance.name, ())) if name],
            }
            for instance in read.instances
        ]
        groups = {
            group.name: sorted({*members, *(one.name for one in read.instances if one.template in members)})
            for group, members in all_groups(read.topology)
        }
        return {**self.document, "instances": instances, "groups": groups}

    def predict(self, report: Mapping[str, Any]) -> None:
        """Add the results of a dry run of the plan."""
        from ansible_ensemble.engine.predictions import predict

        predict(self.plan, report)
        self._tell()


def make_plan(ensemble: str, workflow: str, options: Mapping[str, Any]) -> PlanOutcome:
    """Plan a workflow; takes no lock and changes nothing.

    Raises:
        UsageError: another workflow than deploy is to go back to an earlier job.
    """
    location, job_options = locate(ensemble), JobOptions.from_mapping(options)
    if job_options.rollback is None:
        return _plan_of(read_current(location, job_options), workflow, job_options)
    if workflow != WORKFLOW:
        raise UsageError(f"--rollback is for a plan of {WORKFLOW}, not of {workflow}")
    warnings: list[str] = []
    job_options = at_earlier(
        location, job_options, lambda chosen: warnings.extend(fetch_state(location.ensemble, chosen))
    )
    read = read_recovered(location, job_options, write=False)
    read.warnings[:0] = warnings
    outcome = _plan_of(read, workflow, job_options)
    outcome.warn(rollback_warnings(read, job_options))
    return outcome


def _plan_of(read: Ensemble, workflow: str, job_options: JobOptions) -> PlanOutcome:
    try:
        if is_trusted(read.path):  # else what git runs to reach the other side is not ours to run
            check_upstreams(read, job_options)
    except EnsembleError as error:
        read.warnings.append(f"A job would be refused: {error}")
    plan = plan_job(read, workflow, job_options)
    return PlanOutcome(plan, read)
