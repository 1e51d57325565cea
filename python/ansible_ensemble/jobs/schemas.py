"""The schemas that editors check files by, with all that an ensemble or a service template sees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_specification
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.projects import schemas
from ansible_ensemble.projects.module_schemas import module_schemas
from ansible_ensemble.projects.project import NoEnsemble, find_project


def schema(kind: str, path: str | None, collections: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema of a kind of file, with the types that an ensemble or a service template sees.

    It has the arguments of the modules that these name, of Ansible's own modules, and of those of collections.
    """
    if kind == "project":
        if path is not None:
            locate(path)
        return schemas.schema_of(kind)
    topology = _topology_of(path)
    return schemas.schema_of(
        kind, topology, module_schemas(topology, find_project(Path(path or ".")).root, collections)
    )


def write_schemas(path: str | None, collections: Sequence[str] = ()) -> dict[str, Any]:
    """Write the schemas into the project of an ensemble or a service template: `{"folder", "files": [...]}`."""
    topology = _topology_of(path)
    root = find_project(Path(path or ".")).root
    arguments = module_schemas(topology, root, collections)
    try:
        return {"folder": str(root), "files": schemas.write_schemas(root, topology, arguments)}
    except OSError as error:
        raise EnsembleError(f"the schemas cannot be written: {error.strerror}", Place(str(error.filename))) from None


def _topology_of(path: str | None) -> Topology:
    """The topology of an ensemble or a service template; the standard's if none is named, and there is none here."""
    try:
        location = locate(path or ".")
    except NoEnsemble:
        if path is not None:
            raise
        return schemas.standard_types()
    return read_specification(location, JobOptions(), whole=False).topology
