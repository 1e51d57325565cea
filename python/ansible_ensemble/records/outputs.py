"""The outputs of the topology: present ones, and those that the last job recorded."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.instances.readiness import overall
from ansible_ensemble.instances.status import Status


def present_outputs(ensemble: Ensemble) -> dict[str, Any]:
    """The topology's outputs; none if nothing is deployed."""
    if not any(instance.status not in (Status.ABSENT, Status.PENDING) for instance in ensemble.instances):
        return {}
    earlier = {}

    def failed(name: str, error: EnsembleError) -> None:  # what was done is recorded whatever the outputs are
        what = f'The output "{name}" has no value'
        if name in ensemble.instances.outputs:
            what = f'The output "{name}" is that of an earlier job'
            earlier[name] = ensemble.instances.outputs[name]
        ensemble.warnings.append(f"{what}: {error}")

    return {**ensemble.evaluator.outputs(failed), **earlier}


def recorded_outputs(ensemble: Ensemble) -> dict[str, Any]:
    """The outputs that the last job recorded; of another tool's status, the present ones."""
    return dict(ensemble.instances.outputs) if ensemble.last_job else present_outputs(ensemble)


def finish_outputs(ensemble: Ensemble, report: dict[str, Any]) -> None:
    """Add outputs to a report from the recorded status."""
    noted = len(ensemble.warnings)
    # what the status may not hold in clear is known to the record alone
    recorded = {name: value for name, value in ensemble.instances.outputs.items() if name in ensemble.topology.outputs}
    report["outputs"] = ensemble.redactor.data({**recorded, **present_outputs(ensemble)})
    report["warnings"] += ensemble.redactor.data(ensemble.warnings[noted:])
    report["job"]["ensemble_status"] = overall(ensemble.instances).value
