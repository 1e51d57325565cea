"""Environments as files say them: layers, each over the one before (docs/records.md, "Environments").

An environment is merged from layers; of two that set the same name the later wins: the user's home project, the
project (`defaults`), the environment's own section, the ensemble's `environment` section.

Older ensembles of Unfurl use other keys: `context` is `environment`, `imports` is its `external`, and `spec.env` its
`variables`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.environment import is_rule
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.notices import Notice
from ansible_ensemble.documents.paths import is_folder, resolved
from ansible_ensemble.documents.places import Map, joined, place_of
from ansible_ensemble.projects.environment import Environment, ExternalEnsemble
from ansible_ensemble.projects.execution_settings import ExecutionSettings, given_settings, state_settings
from ansible_ensemble.projects.lfs_lock import lfs_settings
from ansible_ensemble.projects.mesh_settings import mesh_settings
from ansible_ensemble.projects.project import ENSEMBLE_FILE, Project, find_project, home_project
from ansible_ensemble.projects.remote_files import allowed_urls
from ansible_ensemble.projects.trust import is_trusted

DEFAULTS = "defaults"
_MAPS = ("variables", "inputs", "connections", "secrets", "locals", "external")


def load_environment(ensemble: Path, data: Mapping[str, Any], name: str | None = None) -> Environment:
    """The environment of an ensemble.

    Args:
        ensemble: its file.
        data: what the file holds, merge directives expanded.
        name: the environment asked for; None is the ensemble's `spec.environment`, else what the project says of the
            ensemble, else its default.
    """
    project, home = find_project(ensemble), home_project()
    entry = project.entry(ensemble)
    spec = data.get("spec")
    own = name is None and isinstance(spec, Mapping) and str(spec.get("environment") or "")
    chosen = name or own or (entry.environment if entry else "") or project.default_environment
    _check_name(chosen, project, home, place_of(spec, "environment") if own else None)
    notices: list[Notice] = []
    layers: list[tuple[Mapping[str, Any], Path]] = []
    for source in filter(None, (home, project)):
        notices += source.notices
        layers += [(source.environments.get(key) or {}, source.root) for key in dict.fromkeys((DEFAULTS, chosen))]
    layers += [(layer, ensemble.parent) for layer in _own(data)]
    environment = Environment(
        chosen, project.root, ensemble.resolve().parent, notices=notices, trusted=is_trusted(ensemble)
    )
    raw: dict[str, dict[str, Any]] = {key: {} for key in _MAPS}
    lock: dict[str, Any] = {}
    execution: dict[str, Any] = {}
    for layer, folder in layers:
        for key in _MAPS:
            raw[key] = joined(raw[key], _section(layer, key))
        _check_variables(layer)
        environment.external |= _externals(layer, folder)
        environment.repositories |= _repositories(layer, folder)
        if environment.trusted or (home is not None and folder == home.root):
            environment.import_from += allowed_urls(layer)
        environment.blueprint = str(layer.get("deployment_blueprint") or environment.blueprint)
        if "state" in layer:
            environment.state = state_settings(layer["state"], place_of(layer, "state"))
        if "mesh" in layer:
            environment.mesh = mesh_settings(layer["mesh"], folder, place_of(layer, "mesh"))
        execution |= given_settings(layer.get("execution"), place_of(layer, "execution"))
        if isinstance(layer.get("lfs_lock"), Mapping):
            lock |= layer["lfs_lock"]
        else:
            lfs_settings(layer.get("lfs_lock"), place_of(layer, "lfs_lock"))
    environment.inputs, known = raw.pop("inputs"), raw.pop("connections")
    projects = [source for source in (project, home) if source is not None]
    environment.connections = {name: _connection(name, known, projects, ensemble) for name in known}
    environment.raw = raw
    environment.execution = ExecutionSettings(**execution)
    environment.lfs_lock = lfs_settings(lock, Place(str(project.file or ensemble)))
    return environment


def _own(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The layers of an ensemble's file, earlier ones first."""
    for key in ("context", "environment"):
        layer = data.get(key)
        if layer is not None and not isinstance(layer, Mapping):
            raise InvalidInput(f"{key} must be a map", place_of(data, key))
        yield layer or {}
    spec = data.get("spec")
    yield {"external": data.get("imports"), "variables": spec.get("env") if isinstance(spec, Mapping) else None}


def _check_name(name: str, project: Project, home: Project | None, place: Place | None) -> None:
    known = {*project.environments, *(home.environments if home else ()), project.default_environment} - {DEFAULTS, ""}
    if name and name != DEFAULTS and name not in known:
        hint = f"there are: {', '.join(sorted(known))}" if known else "no project names any"
        place = place or (Place(str(project.file)) if project.file else None)
        raise InvalidInput(f"there is no environment {name!r}", place, hint)


def _section(layer: Mapping[str, Any], key: str) -> dict[str, Any]:
    section = layer.get(key)
    if key in ("locals", "secrets") and isinstance(section, Mapping) and isinstance(section.get("attributes"), Mapping):
        section = section["attributes"]  # Unfurl's form, which has a schema beside it
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise InvalidInput(f"{key} must be a map by name", place_of(layer, key))
    made = Map()
    for name, value in section.items():
        made.adopt(str(name), value, section, name)
    return made


def _connection(name: str, known: Mapping[str, Any], projects: Sequence[Project], ensemble: Path) -> Any:
    """A connection; a text in its place is the name of another one, or of one of an environment: `ENVIRONMENT:NAME`."""
    value, seen = known[name], [name]
    while isinstance(value, str):
        environment, colon, other = value.rpartition(":")
        layers = [source.environments.get(environment) or {} for source in projects]
        there = [_section(layer, "connections") for layer in layers] if colon else [known]
        found = next((section[other] for section in there if other in section), None)
        if found is None or value in seen:
            what = f"the connection {name!r} is {value!r}, which is no connection"
            raise InvalidInput(what, Place(str(ensemble)), "write a map with its type, or the name of another one")
        seen.append(value)
        value = found
    return value


def _check_variables(layer: Mapping[str, Any]) -> None:
    for name in _section(layer, "variables"):
        if not is_rule(name):
            place = place_of(layer["variables"], name)
            raise InvalidInput(f"{name!r} cannot be the name of an environment variable", place)


def _externals(layer: Mapping[str, Any], folder: Path) -> dict[str, ExternalEnsemble]:
    """The imported ensembles: a path, `{ensemble, instance}`, or Unfurl's `{manifest: {file}, instance}`."""
    section = layer.get("external")
    found = {}
    for name, value in _section(layer, "external").items():
        item = {"ensemble": value} if isinstance(value, str) else value
        manifest = item.get("manifest", item) if isinstance(item, Mapping) else {}
        file = manifest.get("file", manifest.get("ensemble")) if isinstance(manifest, Mapping) else None
        if not isinstance(file, str):
            hint = "give a path, or a map with `ensemble` and `instance`"
            raise InvalidInput(f"the external ensemble {name!r} has no file", place_of(section, name), hint)
        path = resolved(folder / file)
        instance = str(item.get("instance") or "")
        found[name] = ExternalEnsemble(path / ENSEMBLE_FILE if is_folder(path) else path, instance.strip("*"))
    return found


def _repositories(layer: Mapping[str, Any], folder: Path) -> dict[str, tuple[str, Path]]:
    """The repositories by name: a path or URL, or a map with `url` or `file`."""
    section = layer.get("repositories")
    found = {}
    for name, value in _section(layer, "repositories").items():
        url = value.get("url", value.get("file")) if isinstance(value, Mapping) else value
        if not isinstance(url, str) or "\0" in url:
            raise InvalidInput(f"the repository {name!r} has no url", place_of(section, name), "a path, or a git URL")
        found[name] = (url, folder)
    return found
