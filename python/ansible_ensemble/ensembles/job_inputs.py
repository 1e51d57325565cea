"""What a job is given: how sensitive inputs and variables get from process to process, and what of them is recorded.

In plans and records a sensitive value is encrypted where there is a vault password, else redacted. The processes that
execute and record a job get the values by a file that only this user can read, and that is removed with its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Sensitive, is_secret_name, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.documents.shape import Shape, read_json
from ansible_ensemble.ensembles.options import UNRECORDED, JobOptions
from ansible_ensemble.ensembles.secret_codec import SecretCodec, from_json
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.given import as_given
from ansible_ensemble.language.given_input import is_lost
from ansible_ensemble.views.conform import mark_declared

#: Job variables of this prefix set inputs.
INPUT_PREFIX = "input_"
_FILE = "given.json"
#: Key of the one-key map that holds a sensitive value in it.
_MARK = "__sensitive"
_KINDS = ("inputs", "variables")
_GIVEN: Shape = {"plan": str, **dict.fromkeys(_KINDS, dict)}


def given_inputs(options: JobOptions, codec: SecretCodec) -> dict[str, Any]:
    """The inputs that the options give, decrypted; texts mean what the inputs' types make of them.

    Raises:
        InvalidInput: the value of one, or of a variable, was not kept.
    """
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
    """The `inputs` or `variables` of options as plans and records hold them; encrypted ones as `VaultText`.

    Raises:
        InvalidInput: they are not a map.
    """
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


def hand_over(planned: Path, options: JobOptions, topology: Topology, codec: SecretCodec, *, plan: str) -> None:
    """Write the sensitive inputs and variables of a job for the processes that execute it, if it has any.

    Args:
        planned: the ensemble's folder of what is planned; the caller holds the lock.
        options: the job's options.
        topology: declares which are sensitive.
        codec: opens what was given encrypted.
        plan: digest of the saved plan that they are given for.

    Raises:
        EnsembleError: the file cannot be written.
    """
    withdraw(planned)
    given = _as_inputs(options, topology, codec)
    values = {kind: {name: value for name, value in given[kind].items() if is_sensitive(value)} for kind in given}
    if any(values.values()):
        make_private(planned)
        text = json.dumps({"plan": plan} | _written_marks(values), default=str)
        write_atomically(planned / _FILE, text, mode=0o600)


def handed_over(planned: Path) -> dict[str, dict[str, Any]]:
    """The sensitive `inputs` and `variables` that were handed over.

    Raises:
        InvalidInput: their file cannot be read.
    """
    values = _read(planned)
    return {kind: {name: _with_marks(value) for name, value in values[kind].items()} for kind in _KINDS}


def keep_for(planned: Path, plan: str) -> None:
    """Remove what was handed over for another plan than the one of this digest: that one's job is not this one.

    Raises:
        InvalidInput: the file cannot be read.
    """
    if _read(planned)["plan"] != plan:
        withdraw(planned)


def _read(planned: Path) -> dict[str, Any]:
    """What was handed over; nothing where there is no file."""
    try:
        document: dict[str, Any] = read_json(planned / _FILE, _GIVEN, "make a new plan")
    except FileNotFoundError:
        return {"plan": "", **{kind: {} for kind in _KINDS}}
    return document


def withdraw(planned: Path) -> None:
    """Remove what was handed over: the job has ended."""
    with suppress(OSError):
        (planned / _FILE).unlink(missing_ok=True)


def options_of_job(recorded: Mapping[str, Any], given: Mapping[str, Any], planned: Path) -> JobOptions:
    """The options of a job that another process began.

    Args:
        recorded: its options as plans and journals hold them.
        given: options of this process, which are added; those of the job win. Its inputs are given again: the
            digest of a plan tells whether they are other ones.
        planned: the ensemble's folder of what is planned, where sensitive inputs are handed over.

    Raises:
        UsageError: there is no such option.
        EnsembleError: what was handed over cannot be read.
    """
    handed = handed_over(planned)
    values = {kind: kept_values(recorded, kind) | handed[kind] | (given.get(kind) or {}) for kind in _KINDS}
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
