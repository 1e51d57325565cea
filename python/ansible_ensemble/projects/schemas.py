"""JSON Schemas for editors: of ensembles, of projects, and of service templates with the types that they see."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.ensemble_schema import ensemble_schema, project_schema
from ansible_ensemble.documents.paths import confine
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.editor_schema import service_template_schema
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

#: The folder of a project that its schemas are in; the first line of what `init` writes names them.
SCHEMAS = ".schemas"
#: What there is a schema of.
KINDS = ("ensemble", "service-template", "project")


def schema_of(
    kind: str, topology: Topology | None = None, arguments: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """The schema of a kind of file.

    Args:
        kind: one of `KINDS`.
        topology: whose types are known; without it those of the standard alone.
        arguments: schemas of the arguments of modules, by the modules' names.
    """
    if kind == "project":
        return _of_project()
    template = service_template_schema(topology or standard_types(), arguments)
    return template if kind == "service-template" else _with_template(template["$ref"], template["$defs"])


def _of_project() -> dict[str, Any]:
    return {"$schema": ensemble_schema()["$schema"], "title": "Project", **project_schema()}


def standard_types() -> Topology:
    """A topology that has no types but those of the standard."""
    return load_topology(parse_yaml("tosca_definitions_version: tosca_simple_yaml_1_3", "service-template.yaml"))


def write_schemas(
    root: Path, topology: Topology | None = None, arguments: Mapping[str, Any] = MappingProxyType({})
) -> list[str]:
    """Write all of them into a project; their paths in it, of those that are new or changed.

    Raises:
        OSError: one cannot be written.
    """
    template = schema_of("service-template", topology, arguments)
    beside = _with_template("service-template.json")  # that is not said twice
    texts = zip(KINDS, map(_text, (beside, template, _of_project())), strict=True)
    changed = []
    for kind, text in texts:
        file = root / SCHEMAS / f"{kind}.json"
        confine(file, root, (root,), "the schema")
        if not file.is_file() or file.read_bytes() != text.encode():
            file.parent.mkdir(exist_ok=True)
            write_atomically(file, text)
            changed.append(f"{SCHEMAS}/{file.name}")
    return changed


def _text(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"


def _with_template(reference: str, definitions: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """The schema of an ensemble whose service template, which may be in it, fits what is referred to."""
    ensemble = {key: part for key, part in ensemble_schema().items() if key != "$id"}
    spec = ensemble["properties"]["spec"]
    template = {
        **spec["properties"]["service_template"],
        "anyOf": [{"type": "string"}, {"$ref": reference}],
    }
    held = {**spec, "properties": {**spec["properties"], "service_template": template}}
    merged = {**ensemble["$defs"], **definitions}
    return {**ensemble, "properties": {**ensemble["properties"], "spec": held}, "$defs": merged}
