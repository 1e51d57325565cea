"""The content of an ensemble's file after its merge directives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.documents.ensemble_schema import RECORDED_SECTIONS
from ansible_ensemble.documents.merge import expand
from ansible_ensemble.documents.places import Map, split, united
from ansible_ensemble.documents.yaml import Document
from ansible_ensemble.ensembles.python_template import read_source
from ansible_ensemble.projects.clones import find_repositories
from ansible_ensemble.projects.environment_layers import load_environment
from ansible_ensemble.projects.project import find_project


def expanded(
    document: Document | None, environment: str | None = None, included: list[Path] | None = None
) -> Mapping[str, Any]:
    """The data of an ensemble's file, with merge directives applied in what users wrote.

    What jobs recorded is data, whatever its keys look like: no directive in it is applied and none names it, and
    it replaces the included file's value.

    Files to include may lie anywhere in the project, or in a repository that an environment of the project names: the
    ensemble's own environment is known only when its file is read.

    Args:
        document: the file; None where it is yet to come.
        environment: name of the environment that was asked for.
        included: gets the files that were included.
    """
    if document is None:
        return {}
    path = document.path.absolute()

    def find_repository(name: str) -> Path | None:
        known = load_environment(path, {}, environment)
        return find_repositories(known, document.data).get(name)

    # the project is looked for only where it matters: most ensembles include nothing
    roots = [find_project(path).root] if "+" in document.text else []
    if not isinstance(document.data, Map):
        return {}
    spec, recorded = split(document.data, RECORDED_SECTIONS)
    data = expand(
        replace(document, data=spec), roots=roots, find_repository=find_repository, included=included, read=_read
    )
    return united(recorded, data) if isinstance(data, Map) else recorded


def _read(path: Path) -> Document:
    """An included file, which may be one in Python."""
    return read_source(path)
