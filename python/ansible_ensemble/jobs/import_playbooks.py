"""Import: playbooks become an ensemble beside them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place, each
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.paths import confine, is_file
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.projects.gitfiles import GITIGNORE, ignore_local_files
from ansible_ensemble.projects.project import ENSEMBLE_FILE

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

_API = "tosca-ensemble/v1"
_AGAIN = "change its service template; or import again in a copy of the folder without it, and compare"
_TAKEN = "remove it if an earlier import left it, else give it another name"


def import_playbooks(playbooks: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Write an ensemble beside the first of some playbooks, which does what they do.

    Of the options of a job, those of the inventory, the vault and the variables count.

    Returns:
        `{"folder", "ensemble", "playbooks", "files": [...], "problems": [...], "remarks": [...], "entries": [...],
        "counts": {...}}`. A problem is why what was written cannot be planned yet, as an input without a value. A
        remark is an old spelling, or what this ansible-core is too old or too new for: `file`, `line`, `text`,
        `hint`, and whether what is `written` has it done. An entry is what became of a task, a role or a play:
        `file`, `line`, `name`, `play`, `becomes`, `node`, `why`, `undo`, `no_undo`.
    """
    from ansible_ensemble.playbooks.importing import SERVICE_TEMPLATE, import_plays

    paths = [Path(playbook) for playbook in playbooks]
    for missing in (path for path in paths if not is_file(path)):
        raise InvalidInput("there is no such playbook", Place(str(missing)))
    folder = paths[0].absolute().parent
    found = import_plays(paths, _session(folder, JobOptions.from_mapping(options)))
    files = {ENSEMBLE_FILE: _ensemble(SERVICE_TEMPLATE), **found.files}
    _check_free(folder, files)
    try:
        for name, text in files.items():
            write_atomically(folder / name, text)
        ignore_local_files(folder)
    except OSError as error:
        raise EnsembleError(f"it cannot be written: {error.strerror}", Place(str(error.filename))) from error
    entries = [_with_line(as_map(row)) for row in found.rows]
    kinds = ("resource", "role", "tasks", "playbook", "left out")
    return {
        "folder": str(folder),
        "ensemble": str(folder / ENSEMBLE_FILE),
        "playbooks": list(playbooks),
        "files": list(files),
        "problems": _problems(folder / ENSEMBLE_FILE, options),
        "remarks": [_with_line(as_map(remark)) for remark in found.remarks],
        "entries": entries,
        "counts": {kind: sum(row.becomes == kind for row in found.rows) for kind in kinds},
    }


def _problems(ensemble: Path, options: Mapping[str, Any]) -> list[str]:
    """Why a plan of an ensemble is refused; nothing if it is not."""
    try:
        make_plan(str(ensemble), "deploy", options)
    except InvalidInput as error:
        return list(map(str, each(error)))
    except EnsembleError as error:
        return [str(error)]
    return []


def _session(folder: Path, options: JobOptions) -> AnsibleSession:
    from ansible_ensemble.lanes.session import configured_session

    return configured_session(
        options.inventory or (),
        base=folder,
        loader=options.open_vault().loader(folder),
        extra_variables=reveal(options.variables),
    )


def _ensemble(template: str) -> str:
    return f"apiVersion: {_API}\nkind: Ensemble\nspec:\n  service_template: {template}\n"


def _check_free(folder: Path, names: Iterable[str]) -> None:
    """Refuse to replace what is there, or to write through a link that leads elsewhere."""
    for name in (*names, GITIGNORE):
        confine(name, folder, [folder], "the file", Place(str(folder / name)))
        if name != GITIGNORE and os.path.lexists(folder / name):
            is_ensemble = name == ENSEMBLE_FILE
            message = "there is an ensemble already" if is_ensemble else "the file is there already"
            raise InvalidInput(message, Place(str(folder / name)), _AGAIN if is_ensemble else _TAKEN)


def _with_line(row: dict[str, Any]) -> dict[str, Any]:
    place = row.pop("place")
    return {"file": place["file"], "line": place["line"], **row}
