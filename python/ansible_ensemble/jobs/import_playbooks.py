"""Import: playbooks become an ensemble beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ansible_ensemble.core.ansible_settings import setting
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.projects.gitfiles import IGNORED, ensure_lines
from ansible_ensemble.projects.project import ENSEMBLE_FILE
from ansible_ensemble.projects.trust import approve

_API = "tosca-ensemble/v1"


def import_playbooks(playbooks: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Write an ensemble beside the first of some playbooks, which does what they do.

    Of the options of a job, those of the inventory, the vault and the variables count.

    Returns:
        `{"folder", "ensemble", "playbooks", "files": [...], "entries": [...], "counts": {...}}`. An entry is what
        became of a task, a role or a play: `file`, `line`, `name`, `play`, `becomes`, `node`, `why`, `undo`, `no_undo`.

    Raises:
        InvalidInput: Ansible refuses a playbook, or a file to write is there already.
        EnsembleError: a file cannot be written.
    """
    from ansible_ensemble.playbooks.importing import SERVICE_TEMPLATE, import_plays

    paths = [Path(playbook) for playbook in playbooks]
    folder = paths[0].absolute().parent
    found = import_plays(paths, _session(folder, JobOptions.from_mapping(options)))
    files = {ENSEMBLE_FILE: _ensemble(SERVICE_TEMPLATE), **found.files}
    _check_free(folder, files)
    try:
        for name, text in files.items():
            write_atomically(folder / name, text)
        ensure_lines(folder / ".gitignore", IGNORED)
    except OSError as error:
        raise EnsembleError(f"it cannot be written: {error.strerror}", Place(str(error.filename))) from error
    approve(folder)
    entries = [_told(asdict(row)) for row in found.rows]
    kinds = ("resource", "role", "tasks", "playbook", "left out")
    return {
        "folder": str(folder),
        "ensemble": str(folder / ENSEMBLE_FILE),
        "playbooks": list(playbooks),
        "files": list(files),
        "entries": entries,
        "counts": {kind: sum(row.becomes == kind for row in found.rows) for kind in kinds},
    }


def _session(folder: Path, options: JobOptions) -> Any:
    from ansible_ensemble.lanes.session import standalone_session

    configured = [source for source in setting("DEFAULT_HOST_LIST") if "," in source or Path(source).exists()]
    return standalone_session(
        options.inventory or configured,
        base=folder,
        loader=options.open_vault().loader(folder),
        extra_variables=reveal(options.variables),
    )


def _ensemble(template: str) -> str:
    return f"apiVersion: {_API}\nkind: Ensemble\nspec:\n  service_template: {template}\n"


def _check_free(folder: Path, names: Mapping[str, str]) -> None:
    for name in names:
        if (folder / name).exists():
            message = "there is an ensemble already" if name == ENSEMBLE_FILE else "the file is there already"
            raise InvalidInput(message, Place(str(folder / name)), "remove it, or import from a copy of the folder")


def _told(row: dict[str, Any]) -> dict[str, Any]:
    place = row.pop("place")
    return {"file": place["file"], "line": place["line"], **row}
