"""Validate: what is wrong with ensembles, service templates and archives, without looking at any status."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, InvalidInputs, raise_all
from ansible_ensemble.documents.csar import META, find_entry, open_csar
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.expressions.matches import find_matches
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.python_template import SUFFIX, read_python_template
from ansible_ensemble.jobs.read import locate, read_ensemble
from ansible_ensemble.projects.project import ENSEMBLE_FILE
from ansible_ensemble.topology.entities import Topology
from ansible_ensemble.topology.service_template import load_topology
from ansible_ensemble.topology.stand_ins import check_stand_ins


def validate_path(path: str, options: JobOptions, *, strict: bool) -> dict[str, Any]:
    """Everything that is wrong with an ensemble, a service template, or a CSAR (a file or a folder).

    A service template may be a part of a whole: what it leaves open for others, and implementing files that are not
    beside it, are warnings unless `strict`.

    Returns:
        `{"path", "file", "counts", "errors": [...], "warnings": [...]}`: `file` is the one that `path` means, and
        `counts` how many there are of what it declares, where it is valid; an error is `file`, `line`, `column`,
        `message`, `hint`, `text`.
    """
    found: dict[str, Any] = {"path": path, "file": path, "counts": {}, "errors": [], "warnings": []}
    try:
        file, topology, warnings = _read(Path(path).expanduser(), options, strict)
        raise_all(check_stand_ins(topology.node_templates.values()))
    except InvalidInputs as error:
        return {**found, "errors": [_error(one) for one in error.errors]}
    except InvalidInput as error:
        return {**found, "errors": [_error(error)]}
    return {**found, "file": file, "counts": _counts(topology), "warnings": warnings}


def _counts(topology: Topology) -> dict[str, int]:
    """How many there are of each kind of thing that people write in a topology."""
    return {
        "node_templates": len(topology.node_templates),
        "inputs": len(topology.inputs),
        "outputs": len(topology.outputs),
        "workflows": len(topology.workflows),
        "policies": len(topology.policies),
    }


def _read(path: Path, options: JobOptions, strict: bool) -> tuple[str, Topology, list[str]]:
    """The file that a path means, what it describes, and warnings."""
    if path.is_dir() and not (path / ENSEMBLE_FILE).is_file() and _is_archive(path):
        return _template(find_entry(path), options, strict)
    if path.is_file() and zipfile.is_zipfile(path):
        with TemporaryDirectory(prefix="ansible-ensemble-") as folder:
            return str(path), *_template(open_csar(path, Path(folder)), options, strict)[1:]
    if path.is_file() and path.suffix == SUFFIX:
        return _template(path, options, strict)
    if path.is_file():
        data = read_yaml(path).data
        if not isinstance(data, Mapping) or "kind" not in data:
            return _template(path, options, strict)
    ensemble = read_ensemble(locate(path), options)
    ensemble.unselected.raise_all()
    return os.path.relpath(ensemble.path), ensemble.topology, ensemble.warnings


def _is_archive(folder: Path) -> bool:
    return (folder / META).is_file() or any(folder.glob("*.yaml")) or any(folder.glob("*.yml"))


def _template(path: Path, options: JobOptions, strict: bool) -> tuple[str, Topology, list[str]]:
    shown, path = str(path), path.absolute()
    source = read_python_template(path) if path.suffix == SUFFIX else path
    topology = load_topology(
        source, inputs=options.inputs, check_files=strict, complete=strict, find_matches=find_matches
    )
    return shown, topology, list(topology.warnings)


def _error(error: EnsembleError) -> dict[str, Any]:
    place = error.place
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "message": error.message,
        "hint": error.hint,
        "text": str(error),
    }
