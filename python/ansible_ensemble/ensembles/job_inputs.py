"""What a job is given: how sensitive inputs and variables get from process to process, and what of them is recorded.

In plans and records a sensitive value is encrypted where there is a vault password, else redacted. The processes that
execute and record a job get the values by a file that only this user can read, and that is removed with its end.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import REDACTED, Sensitive, is_secret_name, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.documents.shape import Shape, read_json
from ansible_ensemble.ensembles.ensemble import Specification
from ansible_ensemble.ensembles.options import UNRECORDED, JobOptions
from ansible_ensemble.ensembles.secret_codec import SecretCodec, from_json
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.given import as_given, meant_by
from ansible_ensemble.language.given_input import GivenInput, is_lost
from ansible_ensemble.views.conform import mark_declared

#: Job variables of this prefix set inputs.
INPUT_PREFIX = "input_"
_FILE = "given.json"
#: Key of the one-key map that holds a sensitive value in it.
_MARK = "__sensitive"
_KINDS = ("inputs", "variables")
_GIVEN: Shape = {"plan": str, **dict.fromkeys(_KINDS, dict)}


def given_inputs(options: JobOptions, codec: SecretCodec) -> dict[str, Any]:
    """The inputs that the options give, decrypted; texts mean what the inputs' types make of them."""
    variables = {
        name.removeprefix(INPUT_PREFIX): value
        for name, value in options.variables.items()
        if name.startswith(INPUT_PREFIX)
    }
    inputs: dict[str, Any] = codec.open({**options.inputs, **variables})
    for kind, option, values in (("input", "--inputs FILE", inputs), ("variable", "-e @FILE", options.variables)):
        for name, value in values.items():
            if is_lost(value):
                hint = f"give it again, best with {option}; with a vault password it would have been kept, encrypted"
                raise InvalidInput(f"the sensitive {kind} {name!r} was not kept", hint=hint)
    return {name: as_given(value) for name, value in inputs.items()}


def given_variables(options: JobOptions, codec: SecretCodec) -> dict[str, Any]:
    """The variables that the options give, decrypted; those whose names say that they are secrets are sensitive."""
    opened = codec.open(options.variables)
    return {name: _secret(value) if is_secret_name(name) else value for name, value in opened.items()}


def recorded_options(options: JobOptions, topology: Topology, codec: SecretCodec) -> dict[str, Any]:
    """The options as they may stand in plans and records."""
    sealed: dict[str, Any] = codec.for_json(options.changed() | _as_inputs(options, topology, codec))
    return {name: value for name, value in sealed.items() if value not in ({}, [])}


def recorded_values(options: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The `inputs` or `variables` of options as plans and records hold them; encrypted ones as `VaultText`."""
    values = options.get(kind) or {}
    if not isinstance(values, Mapping):
        raise InvalidInput(f"the recorded {kind} are not a map", hint="the record was changed since it was written")
    return {name: from_json(value) for name, value in values.items()}


def kept_values(options: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """As `recorded_values`, without those that are redacted, or that hold what is."""
    return {name: value for name, value in recorded_values(options, kind).items() if not is_lost(value)}


def lost_values(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """The names of the `inputs` and `variables` that plans and records did not keep, for they are sensitive."""
    values = {kind: recorded_values(options, kind) for kind in _KINDS}
    return {kind: [name for name in values[kind] if is_lost(values[kind][name])] for kind in _KINDS}


def mark_inputs(inputs: Mapping[str, Any], topology: Topology) -> dict[str, Any]:
    """The inputs with what the topology or a workflow declares as sensitive marked, be it a field of a data type."""
    declared = [topology.inputs, *(workflow.inputs for workflow in topology.workflows.values())]
    marked = dict(inputs)
    for definitions in declared:
        for name in marked.keys() & definitions.keys():
            marked[name] = mark_declared(marked[name], definitions[name], topology.data_types.get, mark=_secret)
    return marked


def save_secret_inputs(
    planned: Path, options: JobOptions, topology: Topology, codec: SecretCodec, *, plan: str
) -> None:
    """Save the sensitive inputs and variables of a job for the processes that execute it, if it has any.

    Args:
        planned: the ensemble's folder of what is planned; the caller holds the lock.
        options: the job's options.
        topology: declares which are sensitive.
        codec: opens what was given encrypted.
        plan: digest of the saved plan that they are given for.
    """
    remove_secret_inputs(planned)
    given = _as_inputs(options, topology, codec)
    values = {kind: {name: value for name, value in given[kind].items() if is_sensitive(value)} for kind in given}
    if any(values.values()):
        make_private(planned)
        text = json.dumps({"plan": plan} | _written_marks(values), default=str)
        write_atomically(planned / _FILE, text, mode=0o600)


def saved_secret_inputs(planned: Path) -> dict[str, dict[str, Any]]:
    """The sensitive `inputs` and `variables` of the job that holds the lock."""
    values = _read(planned)
    return {kind: {name: _with_marks(value) for name, value in values[kind].items()} for kind in _KINDS}


def remove_stale_inputs(planned: Path, plan: str) -> None:
    """Remove the secret inputs of a job whose plan has another digest."""
    if _read(planned)["plan"] != plan:
        remove_secret_inputs(planned)


def _read(planned: Path) -> dict[str, Any]:
    """The file of secret inputs; empty where there is none."""
    try:
        document: dict[str, Any] = read_json(planned / _FILE, _GIVEN, "make a new plan")
    except FileNotFoundError:
        return {"plan": "", **{kind: {} for kind in _KINDS}}
    return document


def remove_secret_inputs(planned: Path) -> None:
    """Remove the secret inputs, at the end of the job."""
    with suppress(OSError):
        (planned / _FILE).unlink(missing_ok=True)


def options_of_job(recorded: Mapping[str, Any], given: Mapping[str, Any], planned: Path) -> JobOptions:
    """The options of a job that another process began.

    Args:
        recorded: its options as plans and journals hold them.
        given: options of this process, which are added; those of the job win. Its inputs are given again: the
            digest of a plan tells whether they are other ones.
        planned: the ensemble's folder of what is planned, which has the secret inputs.
    """
    secret = saved_secret_inputs(planned)
    values = {kind: kept_values(recorded, kind) | secret[kind] | (given.get(kind) or {}) for kind in _KINDS}
    own = {name: value for name, value in recorded.items() if name not in UNRECORDED}  # others were written in by hand
    return JobOptions.from_mapping({**given, **own, **values})


def _as_inputs(options: JobOptions, topology: Topology, codec: SecretCodec) -> dict[str, dict[str, Any]]:
    """The `inputs` and `variables` of the options: sensitive inputs are marked, and no longer among the variables."""
    variables = given_variables(options, codec)
    inputs = mark_inputs(codec.open(options.inputs), topology)
    by_variable = {name.removeprefix(INPUT_PREFIX): name for name in variables if name.startswith(INPUT_PREFIX)}
    marked = mark_inputs({name: variables[variable] for name, variable in by_variable.items()}, topology)
    for name, value in marked.items():
        if is_sensitive(value):
            inputs[name] = value
            del variables[by_variable[name]]
    return {"inputs": inputs, "variables": variables}


def _secret(value: Any) -> Any:
    """A value marked as sensitive; what could not be decrypted stays unchanged."""
    return value if isinstance(value, VaultText) else mark_sensitive(value)


def _written_marks(value: Any) -> Any:
    """The value in clear, each sensitive part in a map of one key; a map that has this very key is taken for one."""
    if isinstance(value, Sensitive) or (isinstance(value, dict) and set(value) == {_MARK}):
        return {_MARK: reveal(value)}
    if isinstance(value, dict):
        return {key: _written_marks(item) for key, item in value.items()}
    return [_written_marks(item) for item in value] if isinstance(value, list) else value


def _with_marks(value: Any) -> Any:
    """The value that `_written_marks` was given."""
    if isinstance(value, dict):
        if set(value) == {_MARK}:
            return mark_sensitive(value[_MARK])
        return {key: _with_marks(item) for key, item in value.items()}
    return [_with_marks(item) for item in value] if isinstance(value, list) else value


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
        """The inputs that last after this job, of those before it."""
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
    """The recorded inputs that hold for a job of these options, which is given others."""
    both = [name for name in options.reset_inputs if name in given]
    if both:
        raise UsageError(f'the input "{both[0]}" is both given and reset', hint="do one of the two")
    ended = recorded if options.revision else {*options.reset_inputs, *given}
    return {name: one for name, one in recorded.items() if name not in ended}


def check_reset(options: JobOptions, recorded: Collection[str], declared: Collection[str]) -> None:
    """Refuse to reset what is no input."""
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
