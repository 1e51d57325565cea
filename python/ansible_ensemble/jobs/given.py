"""Inputs that a job is given: how sensitive ones get from process to process, and what of them is recorded.

In plans and records a sensitive input is encrypted where there is a vault password, else redacted. The processes that
carry out and record a job get the values by a file that only this user can read, and that is removed with its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.seal import Seal
from ansible_ensemble.topology.entities import Topology

#: Job variables of this prefix set inputs.
INPUT_PREFIX = "input_"
_FILE = "given.json"


def given_inputs(options: JobOptions, seal: Seal) -> dict[str, Any]:
    """The inputs that the options give, decrypted.

    Raises:
        InvalidInput: the value of one was not kept.
    """
    variables = {
        name.removeprefix(INPUT_PREFIX): value
        for name, value in options.variables.items()
        if name.startswith(INPUT_PREFIX)
    }
    inputs: dict[str, Any] = seal.open({**options.inputs, **variables})
    for name, value in inputs.items():
        if value == REDACTED:
            hint = "give it again, best with --inputs FILE; with a vault password it would have been kept, encrypted"
            raise InvalidInput(f"the sensitive input {name!r} was not kept", hint=hint)
    return inputs


def recorded_options(options: JobOptions, topology: Topology, seal: Seal) -> dict[str, Any]:
    """The options as they may stand in plans and records."""
    recorded = options.changed()
    inputs = dict(recorded.get("inputs", {}))
    variables = dict(recorded.get("variables", {}))
    for name in sensitive_inputs(topology):
        if INPUT_PREFIX + name in variables:
            inputs[name] = variables.pop(INPUT_PREFIX + name)
        if name in inputs:
            inputs[name] = mark_sensitive(inputs[name])
    recorded.update(inputs=inputs, variables=variables)
    sealed: dict[str, Any] = seal.for_json(recorded)
    return {name: value for name, value in sealed.items() if value not in ({}, [])}


def sensitive_inputs(topology: Topology) -> list[str]:
    """Names of the inputs whose definitions mark them as sensitive."""
    return [name for name, definition in topology.inputs.items() if definition.sensitive]


def hand_over(planned: Path, options: JobOptions, topology: Topology) -> None:
    """Write the sensitive inputs of a job for the processes that carry it out, if it has any.

    Args:
        planned: the ensemble's folder of what is planned; the caller holds the lock.
        options: the job's options.
        topology: tells which are sensitive.

    Raises:
        EnsembleError: the file cannot be written.
    """
    withdraw(planned)
    inputs = {**options.inputs}
    inputs.update({name: options.variables.get(INPUT_PREFIX + name, inputs.get(name)) for name in topology.inputs})
    declared = sensitive_inputs(topology)
    values = {
        name: value for name, value in inputs.items() if value is not None and (name in declared or is_sensitive(value))
    }
    if values:
        planned.mkdir(parents=True, exist_ok=True)
        write_atomically(planned / _FILE, json.dumps(reveal(values), default=str), mode=0o600)


def handed_over(planned: Path) -> dict[str, Any]:
    """The sensitive inputs that were handed over.

    Raises:
        EnsembleError: their file cannot be read.
    """
    path = planned / _FILE
    try:
        values: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EnsembleError("the inputs of the plan cannot be read", Place(str(path)), "make the plan anew") from error
    return {name: mark_sensitive(value) for name, value in values.items()}


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
    inputs = {name: value for name, value in recorded.get("inputs", {}).items() if value != REDACTED}
    return JobOptions.from_mapping({**given, **recorded, "inputs": {**inputs, **handed_over(planned)}})
