"""Where an ensemble is: what a path given by the user means, for every command."""

from __future__ import annotations

import logging
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.documents.csar import check_unpacked, find_entry, find_meta, open_csar
from ansible_ensemble.documents.paths import confine, is_folder
from ansible_ensemble.documents.yaml import Document, place_of
from ansible_ensemble.ensembles.entries import is_template
from ansible_ensemble.ensembles.merging import read_merged
from ansible_ensemble.ensembles.python_template import SUFFIX
from ansible_ensemble.language.keys import KEYS, RESOURCES
from ansible_ensemble.projects.project import ENSEMBLE_FILE, TEMPLATE_FILE, NoEnsemble, default_ensemble, is_project
from ansible_ensemble.projects.trust import Trust, distrust, trusted_folders

_LOG = logging.getLogger(__name__)

#: Keys of an ensemble's file that no service template has.
_OF_ENSEMBLES = {"kind", "apiVersion", "spec"}
#: What an ensemble says that it is; `Manifest` in older ones of Unfurl.
_KINDS = ("Ensemble", "Manifest")


class Location(Struct, frozen=True):
    """Where an ensemble is.

    Attributes:
        ensemble: its file, absolute; it need not exist where there is a `template`.
        template: a service template given instead.
        document: the file that was read to tell which of both it is; None where that is clear.
    """

    ensemble: Path
    template: Path | None = None
    document: Document | None = None


def ensemble_file(argument: str | Path) -> Path:
    """The ensemble's file that a path means, without a look into it."""
    path = with_home(argument).absolute()
    return path / ENSEMBLE_FILE if is_folder(path) else path


def locate(argument: str | Path) -> Location:
    """Find the ensemble that a path means: the file, its folder, a service template alone, or an archive.

    A service template alone is a valid ensemble: its status goes to a new ensemble.yaml beside it, and that of an
    archive to one at the archive's root, wherever in it the service template is.
    """
    found = _located(_there(argument))
    _LOG.info("%s means %s, service template %s", argument, found.ensemble, found.template or "of its own")
    return found


def _located(path: Path) -> Location:
    if path.is_dir():
        return _of_folder(path)
    if zipfile.is_zipfile(path):
        return _of_folder(_unpacked(path), is_packed=True)
    document = read_merged(path) if path.suffix != SUFFIX else None
    if document is not None and _is_ensemble(document):
        return Location(path, document=document)
    return Location(_root(path) / ENSEMBLE_FILE, path, document)


def naming(data: Mapping[str, Any], template: str) -> dict[str, Any]:
    """The content of an ensemble's file with the name of another service template."""
    return {**data, "spec": {**(data.get("spec") or {}), "service_template": template}}


def stands_alone(root: Path) -> bool:
    """Whether the folder of an ensemble is no project and no archive, so that what belongs to it may lie beside it."""
    return not (is_project(root) or find_meta(root) is not None or trusted_folders().get(root) is Trust.NONE)


def is_archive(argument: str | Path) -> bool:
    """Whether a path is that of an archive that is packed."""
    path = _there(argument)
    return path.is_file() and zipfile.is_zipfile(path)


def _there(argument: str | Path) -> Path:
    """The absolute path that an argument means."""
    hint = None
    try:
        path = Path(os.path.abspath(Path(argument).expanduser()))  # noqa: PTH100  (links stay as they are named)
        os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        hint = "`ansible-ensemble init` makes a project" if path.name == ENSEMBLE_FILE else None
        raise InvalidInput(f"there is no file {argument}", hint=hint) from None
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidInput(f"there is no file {argument}: {why}") from error
    return path


def _of_folder(folder: Path, *, is_packed: bool = False) -> Location:
    """The ensemble of a folder: its own, that of the archive that it is or was `packed` in, else the project's."""
    ensemble = folder / ENSEMBLE_FILE
    if ensemble.is_file():
        return Location(ensemble)
    if find_meta(folder) is None:
        try:
            return Location(default_ensemble(folder))
        except NoEnsemble as error:
            if not is_packed:
                return Location(ensemble, _template_of(folder, error))
    return Location(ensemble, find_entry(folder))


def _template_of(folder: Path, missing: NoEnsemble) -> Path:
    """The service template that a folder without an ensemble means: that of an archive, or the only one.

    Raises:
        NoEnsemble: there is none, or it has a name of its own, so that it may be meant for something else.
    """
    if not is_project(folder):  # the files of a project are no entries of an archive
        with suppress(InvalidInput):
            return find_entry(folder)
    names = sorted(path.name for path in folder.iterdir() if path.name == TEMPLATE_FILE or is_template(path))
    if names == [TEMPLATE_FILE]:
        confine(TEMPLATE_FILE, folder, [folder], "the service template")  # for nobody has named it
        return folder / TEMPLATE_FILE
    if is_folder(folder / ENSEMBLE_FILE):
        raise NoEnsemble(f"{ENSEMBLE_FILE} is a folder", missing.place, "name the ensemble in it, or rename the folder")
    names = names or sorted(path.name for path in folder.iterdir() if _is_unpacked(path))
    if names:
        raise NoEnsemble(missing.message, missing.place, f"name the file that is meant: {' or '.join(names)}")
    raise missing


def _is_unpacked(path: Path) -> bool:
    """Whether a file is an archive that a job has unpacked beside it, where its ensemble is."""
    return path.is_file() and zipfile.is_zipfile(path) and (_unpacked_folder(path) / ENSEMBLE_FILE).is_file()


def _root(template: Path) -> Path:
    """The folder of a service template's ensemble: the root of the archive whose entry it is, else its own."""
    for folder in template.parents:
        if find_meta(folder) is not None:
            try:
                is_entry = find_entry(folder).resolve() == template.resolve()
            except InvalidInput:  # the service template is asked for, not the archive
                break
            return folder if is_entry else template.parent
    return template.parent


def _is_ensemble(document: Document) -> bool:
    """Whether a file is an ensemble, and not a service template."""
    data = document.data
    keys = data.keys() if isinstance(data, Mapping) else set()
    if _OF_ENSEMBLES & keys:
        if data.get("kind", _KINDS[0]) not in _KINDS:
            raise InvalidInput(f"this is not an ensemble, but of the kind {data['kind']!r}", place_of(data, "kind"))
        return True
    if not ({*KEYS["service_template"], RESOURCES} & keys or any(str(key).startswith("+") for key in keys)):
        message = "this is neither an ensemble nor a service template"
        hint = "a service template has tosca_definitions_version or resources, an ensemble apiVersion and kind"
        raise InvalidInput(message, Place(str(document.path)), hint)
    return False


def _unpacked(archive: Path) -> Path:
    """A CSAR is unpacked once, into the folder of its name beside it."""
    folder = _unpacked_folder(archive)
    if folder.is_dir() and any(folder.iterdir()):
        check_unpacked(archive, folder)
    else:
        distrust(folder)  # before anything is written
        open_csar(archive, folder)
    return folder


def _unpacked_folder(archive: Path) -> Path:
    folder = archive.with_suffix("")
    return folder if folder != archive else archive.with_name(archive.name + ".ensemble")
