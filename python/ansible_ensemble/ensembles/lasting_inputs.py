"""Inputs last: what a job is given holds for later ones until another value is given (docs/rules.md, "Inputs")."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, reveal
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.ensembles.ensemble import Specification
from ansible_ensemble.ensembles.job_inputs import INPUT_PREFIX, mark_inputs, recorded_values
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.given import as_given, meant_by
from ansible_ensemble.language.given_input import GivenInput, is_lost

#: Workflows whose inputs are for them alone: they look, take all down, or do again what is recorded.
_PASSING = frozenset({"check", "discover", "undeploy", "replay"})


class JobInputs(Struct, frozen=True):
    """What a job that began was given: a value counts from then on, for instances may have it already.

    Attributes:
        job: its change id.
        workflow: its workflow.
        time: when it began, in ISO 8601.
        options: as its journal holds them.
    """

    job: str
    workflow: str
    time: str
    options: Mapping[str, Any]

    def lasting(self, before: Mapping[str, GivenInput], codec: SecretCodec) -> dict[str, GivenInput]:
        """The inputs that last after this job, of those before it.

        Raises:
            InvalidInput: its inputs are not a map.
        """
        if self.workflow in _PASSING or self.options.get("command"):
            return dict(before)
        ended = before if self.options.get("revision") else self.options.get("reset_inputs") or ()
        kept = {name: given for name, given in before.items() if name not in ended}
        variables = recorded_values(self.options, "variables")
        values = recorded_values(self.options, "inputs") | {
            name.removeprefix(INPUT_PREFIX): value for name, value in variables.items() if name.startswith(INPUT_PREFIX)
        }
        for name, value in values.items():
            kept[name] = GivenInput(codec.open(value), self.workflow, self.job, self.time)
        return kept


def as_declared(
    given: Mapping[str, GivenInput], before: Mapping[str, GivenInput], topology: Topology
) -> dict[str, GivenInput]:
    """Given inputs that the topology has, with values of their types; one of the value before keeps its origin."""
    found = {}
    for name in topology.inputs.keys() & given.keys():
        one, old = given[name], before.get(name)
        value = meant_by(as_given(one.value), topology.inputs[name], topology.data_types.get)
        stays = old is not None and not one.is_lost and reveal(old.value) == reveal(value)
        found[name] = old if old is not None and stays else replace(one, value=value)
    return {name: found[name] for name in given if name in found}


def still_lasting(
    recorded: Mapping[str, GivenInput], options: JobOptions, given: Collection[str]
) -> dict[str, GivenInput]:
    """The recorded inputs that hold for a job of these options, which is given others.

    Raises:
        UsageError: an input is given and reset.
    """
    both = [name for name in options.reset_inputs if name in given]
    if both:
        raise UsageError(f'the input "{both[0]}" is both given and reset', hint="do one of the two")
    ended = recorded if options.revision else {*options.reset_inputs, *given}
    return {name: one for name, one in recorded.items() if name not in ended}


def check_reset(options: JobOptions, recorded: Collection[str], declared: Collection[str]) -> None:
    """Refuse to reset what is no input.

    Raises:
        UsageError: neither the topology nor the status has such an input.
    """
    for name in options.reset_inputs:
        if name not in declared and name not in recorded:
            hint = nearest_or_known(name, list(dict.fromkeys([*recorded, *declared])))
            raise UsageError(f'there is no input "{name}" to reset', hint=hint)


def recorded_inputs(read: Specification) -> dict[str, dict[str, Any]]:
    """The recorded inputs by name, as documents have them: `value`, `origin`, `workflow`, `job`, `time`."""
    values = mark_inputs({name: one.value for name, one in read.instances.given.items()}, read.topology)
    return {
        name: {
            "value": REDACTED if _is_hidden(values[name]) else values[name],
            "sensitive": _is_hidden(values[name]),
            "origin": one.origin,
            "workflow": one.workflow or None,
            "job": one.job or None,
            "time": one.time or None,
        }
        for name, one in read.instances.given.items()
    }


def inputs_of_plan(read: Specification, options: JobOptions) -> list[dict[str, Any]]:
    """The inputs that are not as the specification has them, for a plan: what was given, is given now, or is reset.

    Each has its `name`, its `value`, the one `before` where it changes, its `origin` in words, and whether it is
    `sensitive`.
    """
    topology, recorded = read.topology, read.instances.given
    lost = {name: one.value for name, one in topology.lost_inputs.items()}
    defaults = {name: one.default for name, one in topology.inputs.items() if one.has_default}
    values = mark_inputs({**defaults, **topology.input_values, **lost}, topology)
    before = mark_inputs({name: one.value for name, one in recorded.items()}, topology)
    found = []
    for name in topology.inputs:
        if name in read.lasting:
            origin, old = read.lasting[name].origin, None
        elif name in read.given:
            origin, old = "given now", before.get(name, read.specified.get(name, defaults.get(name)))
        elif name in recorded and (name in options.reset_inputs or options.revision):
            origin, old = "as the specification has it", before[name]
        else:
            continue
        value = values.get(name)
        changes = old is not None and reveal(old) != reveal(value)
        hidden = _is_hidden(value) or _is_hidden(old)
        found.append(
            {
                "name": name,
                "value": REDACTED if hidden else value,
                **({"before": REDACTED if hidden else old} if changes else {}),
                "origin": origin,
                "sensitive": hidden,
            }
        )
    return found


def _is_hidden(value: Any) -> bool:
    return is_sensitive(value) or isinstance(value, VaultText) or is_lost(value)
