"""What lies in a folder that can be validated: ensembles, service templates, projects' files and archives."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.csar import find_meta
from ansible_ensemble.projects.project import ENSEMBLE_FILE, PROJECT_FILES

_YAML = frozenset({".yaml", ".yml", ".json", ".tosca"})
_ARCHIVE = ".csar"
_GIT = ".git"
#: Where Unfurl keeps what completes the file of a project on one machine.
_LOCAL = "local"
#: What jobs and installers write, and what only completes other files.
_UNSEARCHED = frozenset({"collections", "planned", "active", "changes", "jobs", "node_modules", "venv", "secrets"})
#: What only service templates have, and what only ensembles have, wherever they stand in YAML or JSON.
_SERVICE_TEMPLATE = regex(r"""(?m)^[ {]*["']?tosca_definitions_version["']?\s*:""")
#: A file of resources, one of which at least says what runs; `resources` alone are many things.
_RESOURCES = regex(r"""(?ms)^\{?["']?resources["']?\s*:.*\b(?:module|role|tasks|playbook)["']?\s*:""")
_ENSEMBLE = regex(r"""(?m)(?:^|[{,])\s*["']?kind["']?\s*:\s*["']?Ensemble\b""")
#: How much of a file is looked at.
_HEAD = 1 << 16


def find_entries(folder: Path) -> list[Path]:
    """What of a folder and those below is worth reading by itself: those first that read others.

    An unpacked archive is its folder, everything else is a file.

    Clones of repositories are left out.
    """
    try:
        found = sorted(_search(folder, folder), key=lambda path: (_rank(path), str(path)))
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror or error}", Place(str(error.filename))) from None
    if not found:
        hint = "a service template begins with tosca_definitions_version, an ensemble with apiVersion"
        raise InvalidInput("there is neither an ensemble nor a service template", Place(str(folder)), hint)
    return found


def is_project_file(path: Path) -> bool:
    """Whether a file is that of a project, which names environments."""
    return path.name in PROJECT_FILES


def has_node_templates(path: Path) -> bool:
    """Whether a file seems to hold a topology, and not types alone."""
    return path.is_file() and bool(re.search(r"\bnode_templates\b|^resources:", _head(path), re.MULTILINE))


def is_template(path: Path) -> bool:
    """Whether a file seems to be a service template with a topology, or one of resources."""
    if path.suffix not in _YAML or not path.is_file():
        return False
    head = _head(path)
    return bool(_RESOURCES.search(head)) or (bool(_SERVICE_TEMPLATE.search(head)) and has_node_templates(path))


def is_clone(folder: Path, root: Path) -> bool:
    """Whether a folder in a project is a clone of something else: a repository, and not that of an ensemble."""
    is_project = any((root / name).exists() for name in (_GIT, *PROJECT_FILES))
    return is_project and (folder / _GIT).exists() and not (folder / ENSEMBLE_FILE).is_file()


def _rank(path: Path) -> int:
    """Files that read others come first."""
    if path.is_dir():
        return 0
    names = (path.name == ENSEMBLE_FILE, is_project_file(path), has_node_templates(path))
    return names.index(True) if True in names else len(names)


def _search(folder: Path, root: Path) -> Iterator[Path]:
    if find_meta(folder) is not None:
        yield folder
    with os.scandir(folder) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.name[0] == "." or entry.name in _UNSEARCHED:
                continue
            if entry.is_dir(follow_symlinks=False) and not is_clone(path, root):
                yield from _search(path, root)
            elif entry.is_file() and path.resolve().is_relative_to(root.resolve()) and _is_entry(path):
                yield path


def _is_entry(path: Path) -> bool:
    if path.suffix == _ARCHIVE or path.name == ENSEMBLE_FILE:
        return True
    if is_project_file(path):
        return path.parent.name != _LOCAL
    head = _head(path) if path.suffix in _YAML else ""
    return bool(_SERVICE_TEMPLATE.search(head) or _RESOURCES.search(head) or _ENSEMBLE.search(head))


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD).decode("utf-8", "replace")
