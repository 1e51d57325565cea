"""What jobs of an ensemble can be given: the inputs of its topology and of its workflows, as a document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.sensitive import is_sensitive, reveal
from ansible_ensemble.documents.scalars import with_texts
from ansible_ensemble.ensembles.ensemble import Specification
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_specification
from ansible_ensemble.ensembles.selection import SELECT
from ansible_ensemble.language.definitions import ParameterDefinition, Schema
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.given import is_computed_within
from ansible_ensemble.language.values import has_secret, resolve, schema_entry
from ansible_ensemble.projects.project import in_repository
from ansible_ensemble.reports.survey import choice, united
from ansible_ensemble.reports.survey import survey as make_survey

_NUMBERS = frozenset({"integer", "float"})


def read_inputs(location: Location, options: JobOptions) -> dict[str, Any]:
    """The inputs of an ensemble's jobs as its specification has them, whatever is deployed of it.

    Returns:
        `path`, that of the ensemble in its repository; `inputs`, those of the topology; and `workflows`, the inputs of
        each workflow that the topology has. `reports.survey.survey` says what an input is.
    """
    return _inputs(read_specification(location, options, lasts=False))


def _inputs(read: Specification) -> dict[str, Any]:
    topology, location = read.topology, read.location
    meant = location.template or location.ensemble
    return {
        "path": in_repository(meant, location.ensemble.parent),
        "inputs": _described(topology.inputs, topology),
        "workflows": {name: _described(one.inputs, topology) for name, one in topology.workflows.items()},
    }


def surveys(locations: Sequence[Location], options: JobOptions) -> dict[str, Any]:
    """The surveys of AWX that ask for the inputs of jobs, and of several ensembles for which one a job is.

    Returns:
        The surveys, as the module `survey` documents them; `path`, that of the first ensemble in its repository;
        `choice`, the question for which ensemble a job is; and `ensembles`, for each its `path`, and those of the
        others that use what it made, `used_by`.
    """
    read = [read_specification(location, options, lasts=False) for location in locations]
    found = [_inputs(one) for one in read]
    paths = [one["path"] for one in found]
    asked = paths if len(paths) > 1 else []
    inputs = united({one["path"]: one["inputs"] for one in found})
    workflows = dict.fromkeys(name for one in found for name in one["workflows"])
    return {
        "path": paths[0],
        "choice": choice(asked),
        "deploy": make_survey(inputs, ensembles=asked),
        "others": make_survey(inputs, begins=False, ensembles=asked),
        "workflows": {name: _of_workflow(name, found, several=bool(asked)) for name in workflows},
        "ensembles": _uses(dict(zip(paths, read, strict=True))),
    }


def _uses(ensembles: Mapping[str, Specification]) -> list[dict[str, Any]]:
    used = {path: _used(read) for path, read in ensembles.items()}
    return [
        {"path": path, "used_by": [other for other in used if other != path and read.location.ensemble in used[other]]}
        for path, read in ensembles.items()
    ]


def _used(read: Specification) -> set[Path]:
    """Those of the `external` ensembles that an ensemble names in its expressions; all, if it selects nodes."""
    external, topology = read.environment.external, read.topology
    if any(SELECT in template.directives for template in topology.node_templates.values()):
        return {one.ensemble for one in external.values()}
    text = "\n".join(file.read_text(errors="replace") for file in topology.files)
    return {one.ensemble for name, one in external.items() if re.search(rf"\bexternal\W+{re.escape(name)}\b", text)}


def _of_workflow(name: str, found: Sequence[Mapping[str, Any]], *, several: bool) -> dict[str, Any]:
    having = [one for one in found if name in one["workflows"]]
    return make_survey(
        united({one["path"]: one["inputs"] for one in having}),
        begins=False,
        also=united({one["path"]: one["workflows"][name] for one in having}),
        ensembles=[one["path"] for one in having] if several else (),
    )


def _described(definitions: Mapping[str, ParameterDefinition], topology: Topology) -> list[dict[str, Any]]:
    return [_input(one, topology) for one in definitions.values() if not one.has_value]


def _input(definition: ParameterDefinition, topology: Topology) -> dict[str, Any]:
    name, data_types = definition.name, topology.data_types.get
    is_given = name in topology.input_values
    value = topology.input_values[name] if is_given else definition.default
    entry = schema_entry(definition.schema, data_types)
    secret = definition.is_secret or has_secret(definition.schema, data_types, by_name=True) or is_sensitive(value)
    kind = _type(definition.schema, topology)
    held = kind["type"] if entry is None else resolve(entry, data_types)[0]
    default = {} if secret or is_computed_within(value) or value is None else {"default": _plain(value, held)}
    return {
        "name": name,
        **kind,
        "entry": _type(entry, topology) if entry is not None else None,
        "description": definition.description,
        "required": definition.required and not is_given and not definition.has_default,
        "secret": secret,
        **default,
    }


def _type(schema: Schema, topology: Topology) -> dict[str, Any]:
    base, constraints, _entity = resolve(schema, topology.data_types.get)
    return {"type": base, "constraints": [_plain(clause, base) for clause in constraints]}


def _plain(value: Any, kind: str) -> Any:
    """Data for a document: where its type is a number, `1.50` is 1.5; else it stays as it is written."""
    return reveal(value if kind in _NUMBERS else with_texts(value))
