"""What a job is given: how sensitive inputs and variables get from process to process, and what of them is recorded.

In plans and records a sensitive value is encrypted where there is a vault password, else redacted. The processes that
carry out and record a job get the values by a file that only this user can read, and that is removed with its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED, is_secret_name, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.documents.shape import Shape, read_json
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.seal import Seal, from_json
from ansible_ensemble.topology.entities import Topology

#: Job variables of this prefix set inputs.
INPUT_PREFIX = "input_"
_FILE = "given.json"
_KINDS = ("inputs", "variables")
_GIVEN: Shape = {"plan": str, **dict.fromkeys(_KINDS, dict)}


def given_inputs(options: JobOptions, seal: Seal) -> dict[str, Any]:
    """The inputs that the options give, decrypted.

    Raises:
        InvalidInput: the value of one, or of a variable, was not kept.
    """
    variables = {
        name.removeprefix(INPUT_PREFIX): value
        for name, value in options.variables.items()
        if name.startswith(INPUT_PREFIX)
    }
    inputs: dict[str, Any] = seal.open({**options.inputs, **variables})
    for kind, option, values in (("input", "--inputs FILE", inputs), ("variable", "-e @FILE", options.variables)):
        for name, value in values.items():
            if value == REDACTED:
                hint = f"give it again, best with {option}; with a vault password it would have been kept, encrypted"
                raise InvalidInput(f"the sensitive {kind} {name!r} was not kept", hint=hint)
    return inputs


def given_variables(options: JobOptions, seal: Seal) -> dict[str, Any]:
    """The variables that the options give, decrypted; those whose names say that they are secrets are sensitive."""
    opened = seal.open(options.variables)
    return {name: _secret(value) if is_secret_name(name) else value for name, value in opened.items()}


def recorded_options(options: JobOptions, topology: Topology, seal: Seal) -> dict[str, Any]:
    """The options as they may stand in plans and records."""
    sealed: dict[str, Any] = seal.for_json(options.changed() | _as_inputs(options, topology, seal))
    return {name: value for name, value in sealed.items() if value not in ({}, [])}


def recorded_values(options: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The `inputs` or `variables` of options as plans and records hold them; encrypted ones as `VaultText`.

    Raises:
        InvalidInput: they are no map.
    """
    values = options.get(kind) or {}
    if not isinstance(values, Mapping):
        raise InvalidInput(f"the recorded {kind} are no map", hint="the record was changed since it was written")
    return {name: from_json(value) for name, value in values.items()}


def kept_values(options: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """As `recorded_values`, without those that are redacted."""
    return {name: value for name, value in recorded_values(options, kind).items() if value != REDACTED}


def sensitive_inputs(topology: Topology) -> list[str]:
    """Names of the inputs, of the topology and of its workflows, whose definitions mark them as sensitive."""
    declared = [topology.inputs, *(workflow.inputs for workflow in topology.workflows.values())]
    return list(
        dict.fromkeys(name for inputs in declared for name, definition in inputs.items() if definition.sensitive)
    )


def hand_over(planned: Path, options: JobOptions, topology: Topology, seal: Seal, *, plan: str) -> None:
    """Write the sensitive inputs and variables of a job for the processes that carry it out, if it has any.

    Args:
        planned: the ensemble's folder of what is planned; the caller holds the lock.
        options: the job's options.
        topology: tells which are sensitive.
        seal: opens what was given encrypted.
        plan: digest of the saved plan that they are given for.

    Raises:
        EnsembleError: the file cannot be written.
    """
    withdraw(planned)
    given = _as_inputs(options, topology, seal)
    values = {kind: {name: value for name, value in given[kind].items() if is_sensitive(value)} for kind in given}
    if any(values.values()):
        make_private(planned)
        write_atomically(planned / _FILE, json.dumps({"plan": plan} | reveal(values), default=str), mode=0o600)


def handed_over(planned: Path) -> dict[str, dict[str, Any]]:
    """The sensitive `inputs` and `variables` that were handed over.

    Raises:
        InvalidInput: their file cannot be read.
    """
    values = _read(planned)
    return {kind: {name: mark_sensitive(value) for name, value in values[kind].items()} for kind in _KINDS}


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
        document: dict[str, Any] = read_json(planned / _FILE, _GIVEN, "make the plan anew")
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
        given: options of this process, which are added; those of the job win.
        planned: the ensemble's folder of what is planned, where sensitive inputs are handed over.

    Raises:
        UsageError: there is no such option.
        EnsembleError: what was handed over cannot be read.
    """
    handed = handed_over(planned)
    values = {kind: kept_values(recorded, kind) | handed[kind] for kind in _KINDS}
    return JobOptions.from_mapping({**given, **recorded, **values})


def _as_inputs(options: JobOptions, topology: Topology, seal: Seal) -> dict[str, dict[str, Any]]:
    """The `inputs` and `variables` of the options: sensitive inputs are marked, and no longer among the variables."""
    inputs, variables = dict(seal.open(options.inputs)), given_variables(options, seal)
    for name in sensitive_inputs(topology):
        if INPUT_PREFIX + name in variables:
            inputs[name] = variables.pop(INPUT_PREFIX + name)
        if name in inputs:
            inputs[name] = _secret(inputs[name])
    return {"inputs": inputs, "variables": variables}


def _secret(value: Any) -> Any:
    """A value marked as sensitive; what could not be decrypted tells nothing, and stays what it is."""
    return value if isinstance(value, VaultText) else mark_sensitive(value)
