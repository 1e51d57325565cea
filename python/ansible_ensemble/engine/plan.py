"""Plan: an ensemble, a workflow and options become a plan."""

from __future__ import annotations

import logging

from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.engine.inventory_hosts import check_hosts, check_inventory
from ansible_ensemble.engine.named import note_handlers
from ansible_ensemble.engine.render import check_renders
from ansible_ensemble.ensembles.change_detector import ChangeDetector
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import inputs_of_plan, recorded_options
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.language.given_input import lost_input
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planner import make_plan
from ansible_ensemble.topology.required import missing_inputs

#: Workflows that go on without what node templates were selected for: it must be possible to take all down.
_TAKING_DOWN = frozenset({"undeploy", "stop"})

_LOG = logging.getLogger(__name__)


def plan_workflow(ensemble: Ensemble, workflow: str, options: JobOptions) -> Plan:
    """The plan of a workflow."""
    with ensemble.evaluator.environment.planning(workflow):
        return _plan(ensemble, workflow, options)


def _plan(ensemble: Ensemble, workflow: str, options: JobOptions) -> Plan:
    check_inventory(ensemble, options)
    _check_inputs(ensemble, workflow, needs_all=workflow not in _TAKING_DOWN and not options.command)
    if workflow not in _TAKING_DOWN:
        ensemble.unselected.raise_all()
    plan = make_plan(
        ensemble.topology,
        ensemble.instances,
        workflow,
        options,
        ChangeDetector(ensemble),
        ensemble=str(ensemble.path),
        base=ensemble.base,
    )
    check_hosts(ensemble, plan)
    check_renders(ensemble, plan, options)
    note_handlers(plan, ensemble.topology, ensemble.root)
    plan.options = recorded_options(options, ensemble.topology, ensemble.codec)
    plan.inputs = inputs_of_plan(ensemble.specification, options)
    plan.template = str(ensemble.template) if ensemble.document is None and ensemble.template else ""
    plan.warnings += [*ensemble.warnings, *map(str, ensemble.unselected.errors), *_unmasked(ensemble)]
    plan.moved = {old: new for old, new in ensemble.moved.items() if old != new}
    _mask(plan, ensemble.redactor)
    for operation in plan.operations:
        _LOG.info("%s plans %s because of %s", workflow, operation.key, operation.reason.value)
    return plan


def _mask(plan: Plan, redactor: Redactor) -> None:
    """Mask known secrets in the texts of a plan, which is saved."""
    for operation in plan.operations:
        operation.implementation = redactor.text(operation.implementation)
    for change in (*plan.outputs, *(value for one in plan.instances for value in one.changes)):
        change.before, change.after = redactor.data(change.before), redactor.data(change.after)
    plan.inputs = redactor.data(plan.inputs)
    plan.warnings = redactor.data(plan.warnings)


def _check_inputs(ensemble: Ensemble, workflow: str, *, needs_all: bool) -> None:
    """Refuse to begin without a required input: of the topology where all is deployed, and of the workflow itself.

    Nor is one made up that an earlier job was given, unless what is done may not need it: to take down, or a command.
    """
    topology = ensemble.topology
    if needs_all:
        raise_all(lost_input(name, one) for name, one in topology.lost_inputs.items())
    inputs = dict(topology.inputs) if workflow == "deploy" else {}
    own = topology.workflows.get(workflow)
    inputs |= own.inputs if own is not None else {}
    missing = missing_inputs(inputs, {**topology.input_values, **topology.lost_inputs})
    if missing:
        names = ", ".join(f'"{name}"' for name in missing)
        place = inputs[missing[0]].place
        several = len(missing) > 1
        hint = "give them with --input NAME=VALUE" if several else "give one with --input NAME=VALUE"
        raise InvalidInput(f"no value is given for the input{'s' if several else ''} {names}", place, hint)


def _unmasked(ensemble: Ensemble) -> list[str]:
    """A warning of secrets that are too short to be masked in output."""
    redactor = ensemble.redactor
    if not redactor.too_short:
        return []
    names = ", ".join(sorted(redactor.too_short - {""})) or "A sensitive value"
    verb = "have" if len(redactor.too_short - {""}) > 1 else "has"
    return [f"{names} {verb} fewer than {redactor.shortest} characters: not masked where an operation prints it."]
