"""Package: a service template and what lies in its folder become a cloud service archive."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.atomic import write_errors
from ansible_ensemble.documents.csar import find_meta, is_of_tosca_2
from ansible_ensemble.documents.csar_writing import files_below, write_csar
from ansible_ensemble.documents.paths import confine, is_file, is_folder, is_there, resolved
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.ensembles.left_behind import is_left_behind
from ansible_ensemble.ensembles.location import is_archive, locate
from ansible_ensemble.ensembles.merging import read_merged
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.python_template import SUFFIX
from ansible_ensemble.jobs.validate import find_faults
from ansible_ensemble.projects.git import ignored_below, repository_of
from ansible_ensemble.projects.project import ENSEMBLE_FILE


def package(path: str, *, entry: str | None = None, out: str | None = None) -> dict[str, Any]:
    """Make an archive, which is valid by itself: `{"archive", "entry", "files": [...]}`.

    Args:
        path: a service template, or a folder with one.
        entry: the service template, relative to that folder.
        out: the archive; by default it is named after the service template, and made here.
    """
    root, template = _meant(path, entry)
    target = Path(out or f"{template.stem}.csar").absolute()
    if is_there(target) and not zipfile.is_zipfile(target):
        raise InvalidInput(f"{target} exists and is not an archive: it is not overwritten", hint="name another file")
    names = files_below(root, _stays(root, target))
    if template not in names:
        raise InvalidInput(f"{template} is left out, as what jobs make or git ignores", Place(str(root)))
    version = _version(root / template)
    with write_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".package-", dir=target.parent) as folder:
            made = Path(folder) / "archive.csar"
            write_csar(root, template, names, made, version)
            _check(made, target)
            made.replace(target)
    return {"archive": str(target), "entry": str(template), "files": [str(name) for name in sorted(names)]}


def _meant(path: str, entry: str | None) -> tuple[Path, PurePosixPath]:
    """The folder that is packed, and the service template in it."""
    if is_archive(path):
        raise InvalidInput(f"{path} is an archive already", hint=f"`ansible-ensemble clone {path}` unpacks it")
    entry = entry or _only_one(Path(path))
    if entry is not None:
        root = Path(path).absolute()
        if not is_folder(root):
            raise InvalidInput(f"{path} is not a folder", hint="--entry names a service template in a folder")
        template = root / entry
    else:
        location = locate(path)
        root, template = location.ensemble.parent, location.template or _named(location.ensemble)
    found = confine(template, root, [root], "the service template")
    if not is_file(found):
        raise InvalidInput(f"there is no service template {template}")
    return resolved(root), PurePosixPath(found.relative_to(resolved(root)))


def _only_one(folder: Path) -> str | None:
    """The only YAML file of a folder that has no ensemble, and no metadata of an archive."""
    if not is_folder(folder) or is_there(folder / ENSEMBLE_FILE) or find_meta(folder) is not None:
        return None
    names = [name.name for name in folder.glob("*.y*ml")]
    return names[0] if len(names) == 1 else None


def _named(ensemble: Path) -> Path:
    """The service template that an ensemble names."""
    named = ((read_merged(ensemble).data or {}).get("spec") or {}).get("service_template")
    if not isinstance(named, str):
        hint = "write it into a file of its own, and name that by `service_template`"
        raise InvalidInput("the ensemble has its service template inside", Place(str(ensemble)), hint)
    return ensemble.parent / named


def _stays(root: Path, target: Path) -> Callable[[Path], bool]:
    """Whether something stays out of the archive: the archive itself, what is no part of it, and what git ignores."""
    repository = repository_of(root)
    left = {resolved(target), *(ignored_below(repository, root) if repository is not None else ())}
    return lambda path: is_left_behind(path, root, left)


def _version(template: Path) -> str:
    data = read_yaml(template).data if template.suffix != SUFFIX else {}
    if not isinstance(data, Mapping):
        raise InvalidInput(f"{template.name} is no service template: it must be a map", Place(str(template)))
    return "2.0" if is_of_tosca_2(data) else "1.1"


def _check(made: Path, target: Path) -> None:
    """Refuse an archive that lacks what it needs, for it lies elsewhere."""
    found = find_faults(str(made), JobOptions())
    if found.errors:
        errors = "; ".join(found.show(str(one)).replace(str(made), target.name) for one in found.errors)
        hint = "what it needs must lie in the folder: package the one around, with `--entry` for the service template"
        raise InvalidInput(f"the archive would not be valid: {errors}", hint=hint)
