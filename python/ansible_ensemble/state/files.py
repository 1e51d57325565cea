"""Which files of an ensemble's folder are its state, and how they are installed (docs/state.md).

Of the ensemble's own file it is the sections that jobs write. People's files, what passes and what is secret and not
encrypted are no part of it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ansible_ensemble.changes.job_record import CHANGES, JOBS
from ansible_ensemble.changes.jobs_tsv import FILE_NAME
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.ensemble_schema import RECORDED_SECTIONS
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.writer import rewrite
from ansible_ensemble.documents.yaml import parse_yaml, read_yaml
from ansible_ensemble.projects.folders import ACTIVE, COMMITTED
from ansible_ensemble.projects.vault import is_encrypted
from ansible_ensemble.state.store import File, Files

#: The sections that jobs write, and what marks a state.
SECTIONS, MARK = "ensemble.yaml", "state.json"

#: The files and folders that hold a state, and nothing else.
PLACES = (FILE_NAME, SECTIONS, MARK, CHANGES, ACTIVE, JOBS)

_PLACES = (CHANGES, *(f"{ACTIVE}/{kind}" for kind in COMMITTED))
_OF_JOBS = regex(rf"{JOBS}/job[\w.-]+")
_LOGS = (".yaml", ".events.jsonl")
#: Of how many jobs the logs and the records with output are kept.
_KEPT_LOGS = 20


def tree(folder: Path) -> dict[str, File]:
    """The files in a folder that can be part of a state, by name."""
    found = [folder / name for name in (FILE_NAME, SECTIONS, MARK)]
    for place in _PLACES:
        found += sorted((folder / place).rglob("*"))
    found += sorted((folder / JOBS).glob("job*-*.*"))
    return {_name(path, folder): _file(path) for path in found if path.is_file() and not path.is_symlink()}


def is_of_state(name: str) -> bool:
    """Whether a file of this name may be a part of a state."""
    known = name in (FILE_NAME, SECTIONS, MARK) or any(name.startswith(f"{place}/") for place in _PLACES)
    return known or _OF_JOBS.fullmatch(name) is not None


def collected(ensemble: Path) -> dict[str, File]:
    """The state in an ensemble's folder; secrets that are not encrypted stay there."""
    folder = ensemble.parent
    files = {name: file for name, file in tree(folder).items() if name not in (SECTIONS, MARK)}
    outdated = _outdated(files)
    kept = {name: file for name, file in files.items() if name not in outdated and not _is_clear(name, file)}
    return kept | ({SECTIONS: File(_sections(ensemble))} if ensemble.exists() else {})


def install(files: Files, ensemble: Path) -> None:
    """Write the files of a state into an ensemble's folder; older logs and unencrypted secrets stay."""
    folder = ensemble.parent
    own = {name: file for name, file in files.items() if name not in (SECTIONS, MARK)}
    before = {name: file for name, file in tree(folder).items() if name not in (SECTIONS, MARK)}
    stay = {name for name, file in before.items() if name not in own and (_is_log(name) or _is_clear(name, file))}
    mirror(own, folder, {name: file for name, file in before.items() if name not in stay})
    if SECTIONS in files:
        _write_sections(ensemble, files[SECTIONS].content.decode(errors="replace"))


def mirror(files: Files, folder: Path, before: Files) -> None:
    """Write the files that differ from those before, and remove those that are gone.

    Raises:
        OSError: the file system refuses.
    """
    for name in files:
        _check_name(name, folder)
    for name, file in files.items():
        if before.get(name) != file:
            _write(folder / name, file)
    for name in before.keys() - files.keys():
        (folder / name).unlink(missing_ok=True)


def job_of(name: str) -> str:
    """The job id at the end of the name of a file in `jobs`; ids sort by time."""
    return PurePosixPath(name).name.partition(".")[0][-8:] + "0000"


def is_here(name: str, folder: Path) -> bool:
    """Whether a folder has the file, or another of the same job: a journal is renamed when its job is recorded."""
    place = folder / name
    return any(place.parent.glob(f"{place.name.partition('.')[0]}.*"))


def _is_log(name: str) -> bool:
    return name.startswith(f"{JOBS}/") and name.endswith(_LOGS)


def _is_clear(name: str, file: File) -> bool:
    return name.startswith(f"{ACTIVE}/secrets/") and not is_encrypted(file.content)


def _outdated(files: Files) -> set[str]:
    """The logs of all but the last jobs."""
    jobs = sorted({job_of(name) for name in files if _is_log(name)})[:-_KEPT_LOGS]
    return {name for name in files if _is_log(name) and job_of(name) in jobs}


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _file(path: Path) -> File:
    return File(path.read_bytes(), os.access(path, os.X_OK))


def _check_name(name: str, folder: Path) -> None:
    if not is_of_state(name) or ".." in PurePosixPath(name).parts or "\0" in name:
        raise InvalidInput(f"the state has a file {name!r}, which is none of a state's", Place(str(folder)))


def _write(path: Path, file: File) -> None:
    make_private(path.parent)
    aside = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.new")
    try:
        mode = 0o700 if file.executable else 0o600
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as new:
            new.write(file.content)
            new.flush()
            os.fsync(new.fileno())
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _sections(ensemble: Path) -> bytes:
    data = read_yaml(ensemble).data
    found: dict[str, Any] = {key: data[key] for key in ("apiVersion", "kind", *RECORDED_SECTIONS) if key in data}
    template = (data.get("spec") or {}).get("service_template")
    if isinstance(template, str):  # a job makes such a file where there is none
        found["spec"] = {"service_template": template}
    return emit_yaml(found).encode()


def _write_sections(ensemble: Path, text: str) -> None:
    kept = parse_yaml(text, ensemble, f"{SECTIONS} of the state").data
    if not isinstance(kept, Mapping):
        raise InvalidInput("the state is damaged: its sections are no map", Place(str(ensemble)))
    if not ensemble.exists():
        write_atomically(ensemble, text)
        return
    document = read_yaml(ensemble)
    sections = {key: kept[key] for key in RECORDED_SECTIONS if key in kept}
    data = {key: value for key, value in document.data.items() if key not in RECORDED_SECTIONS} | sections
    if data != document.data:
        write_atomically(ensemble, rewrite(document, data))
