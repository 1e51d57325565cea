"""What the inputs of an operation say about objects of Kubernetes: their definitions, and how they are treated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.environment import Changes
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import Command
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.paths import is_folder, resolved
from ansible_ensemble.kubernetes.conditions import as_wait

#: The input that names the folder of a kustomization.
KUSTOMIZED = "kustomize"
_SUFFIXES = (".yaml", ".yml", ".json")
#: Inputs that are fields of an object.
_FIELDS = {"api_version": "apiVersion", "kind": "kind", "type": "type", "data": "stringData"}
_PROPAGATIONS = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}


class _Loader(yaml.CSafeLoader):
    """Reads YAML whose dates are text, as Kubernetes has them."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def as_options(task: Task) -> dict[str, Any]:
    """How objects are treated, as `kubernetes.work.Options` has it."""
    given = {name: reveal(task.inputs.get(name)) for name in ("wait", "field_manager", "force", "propagation", "prune")}
    try:
        as_wait(given["wait"])
    except EnsembleError as error:
        raise InvalidInput(error.message, task.operation.place, error.hint) from None
    options: dict[str, Any] = {"wait": given["wait"], "force": bool(given["force"])}
    if given["field_manager"]:
        options["manager"] = str(given["field_manager"])
    if (timeout := task.inputs.get("wait_timeout")) is not None:
        options["timeout"] = float(timeout)
    if given["propagation"]:
        options["propagation"] = _PROPAGATIONS[given["propagation"]]
    prune = given["prune"]
    if isinstance(prune, str):
        options["labels"] = prune
    elif prune is not None:
        options["prune"] = bool(prune)
    return options


def definitions_of(task: Task, what: str) -> list[dict[str, Any]]:
    """The definitions that an operation is about, but for those of a kustomization."""
    if what == "manifest":
        return _of_manifest(task)
    definition = deepcopy(_written(task))
    if what == "namespace":
        definition |= {"apiVersion": "v1", "kind": "Namespace"}
    for name, key in _FIELDS.items():
        if (value := reveal(task.inputs.get(name))) is not None:
            definition[key] = value
    definition.setdefault("apiVersion", "v1")
    metadata = dict(definition.get("metadata") or {})
    metadata["name"] = reveal(task.inputs.get("name")) or metadata.get("name") or task.query(".name")
    for name in ("labels", "annotations"):
        if value := reveal(task.inputs.get(name)):
            metadata[name] = {**(metadata.get(name) or {}), **value}
    definition["metadata"] = metadata
    _check(definition, "the definition", task)
    return [definition]


def _written(task: Task) -> dict[str, Any]:
    """The definition of one object, as it is written."""
    found = []
    if src := reveal(task.inputs.get("src")):
        found = [one for file in _files(task, str(src)) for one in _parsed(_read(file, task), str(file), task)]
    if (inline := reveal(task.inputs.get("definition"))) is not None:
        found += _parsed(inline, "definition", task)
    if len(found) > 1:
        message = f"the definition of {task.operation.full_name} has more than one object"
        raise InvalidInput(message, task.operation.place, "a kubernetes.Manifest takes several")
    return dict(found[0]) if found else {}


def _of_manifest(task: Task) -> list[dict[str, Any]]:
    definitions: list[dict[str, Any]] = []
    if src := reveal(task.inputs.get("src")):
        for file in _files(task, str(src)):
            definitions += parse_definitions(_read(file, task), str(file), task)
    if (inline := reveal(task.inputs.get("definition"))) is not None:
        definitions += parse_definitions(inline, "definition", task)
    if not src and inline is None and not task.inputs.get(KUSTOMIZED):
        message = f"the manifest of {task.operation.full_name} is empty"
        raise InvalidInput(message, task.operation.place, "give it src, definition or kustomize")
    return definitions


def _files(task: Task, src: str) -> list[Path]:
    """The files of a manifest; their content is a part of what the operation read."""
    path = resolved(task.base / src)
    task.query({"file": str(path)})
    if not is_folder(path):
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise InvalidInput(f'the folder "{src}" has no manifest', task.operation.place, f"as {', '.join(_SUFFIXES)}")
    return files


def _read(file: Path, task: Task) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InvalidInput(f"the manifest {file} cannot be read: {reason}", task.operation.place) from None


def parse_definitions(written: Any, where: str, task: Task) -> list[dict[str, Any]]:
    """The definitions in YAML of any number of documents, or in data of it; lists of Kubernetes are taken apart."""
    found = _parsed(written, where, task)
    for one in found:
        _check(one, where, task)
    return found


def _parsed(written: Any, where: str, task: Task) -> list[dict[str, Any]]:
    try:
        documents = list(yaml.load_all(written, _Loader)) if isinstance(written, str) else [written]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        message = f"{where}{at}: {getattr(error, 'problem', None) or 'it is no YAML'}"
        raise InvalidInput(message, task.operation.place) from None
    return [dict(one) for document in documents for one in _objects(document, where, task)]


def _objects(document: Any, where: str, task: Task) -> Iterator[Mapping[str, Any]]:
    if document is None:
        return
    if isinstance(document, list):
        for one in document:
            yield from _objects(one, where, task)
    elif isinstance(document, Mapping) and str(document.get("kind", "")).endswith("List") and "items" in document:
        yield from _objects(document["items"], where, task)
    elif isinstance(document, Mapping):
        yield document
    else:
        raise InvalidInput(f"{where} has {document!r}, which is no object of Kubernetes", task.operation.place)


def _check(definition: Mapping[str, Any], where: str, task: Task) -> None:
    metadata = definition.get("metadata")
    missing = [name for name in ("apiVersion", "kind") if not isinstance(definition.get(name), str)]
    if not isinstance(metadata, Mapping) or not metadata.get("name"):
        missing.append("metadata.name")
    if missing:
        raise InvalidInput(f"{where} has an object without {', '.join(missing)}", task.operation.place)


def kustomize(task: Task, environment: Changes) -> Command:
    """The command that prints the definitions of a kustomization, whose files are a part of what the operation read."""
    folder = resolved(task.base / str(reveal(task.inputs[KUSTOMIZED])))
    if not is_folder(folder):
        raise InvalidInput(f'there is no folder "{folder}" to kustomize', task.operation.place)
    task.query({"file": str(folder)})
    return Command(("kubectl", "kustomize", str(folder)), environment=environment, timeout=task.timeout)
