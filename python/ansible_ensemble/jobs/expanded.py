"""What an ensemble's file says once its merge directives are carried out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.documents.merge import expand
from ansible_ensemble.documents.yaml import Document
from ansible_ensemble.projects.clones import find_repositories
from ansible_ensemble.projects.environment import load_environment
from ansible_ensemble.projects.project import find_project


def expanded(
    document: Document | None, environment: str | None = None, included: list[Path] | None = None
) -> Mapping[str, Any]:
    """The data of an ensemble's file, merge directives carried out.

    Files to include may lie anywhere in the project, or in a repository that an environment of the project names: the
    ensemble's own environment is known only when its file is read.

    Args:
        document: the file; None where it is yet to come.
        environment: name of the environment that was asked for.
        included: gets the files that were included.

    Raises:
        InvalidInput: a merge directive, or what it needs of the project, is wrong.
    """
    if document is None:
        return {}
    path = document.path.absolute()

    def find_repository(name: str) -> Path | None:
        known = load_environment(path, {}, environment)
        return find_repositories(known.repositories, known.root).get(name)

    # the project is looked for only where it matters: most ensembles include nothing
    roots = [find_project(path).root] if "+" in document.text else []
    data = expand(document, roots=roots, find_repository=find_repository, included=included)
    return data if isinstance(data, Mapping) else {}
