"""Artifacts [TOSCA 1.3, 3.6.7] and the repositories they come from [TOSCA 1.3, 3.6.5]."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.scalars import as_written
from ansible_ensemble.language.entities import Artifact, Assignment
from ansible_ensemble.language.normative import ROOTS
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.types import Scope

#: Suffixes of files that implement an operation. A relative path that ends in one must be there.
SUFFIXES = frozenset(
    {".yml", ".yaml", ".sh", ".bash", ".py", ".j2", ".tf", ".ps1", ".rb", ".pl", ".js", ".ansible", ".csh", ".zsh"}
)


def read_artifacts(
    raw: Any, what: str, place: Place | None, scope: Scope, inherited: Mapping[str, Artifact]
) -> dict[str, Artifact]:
    """The artifacts of a section over the inherited ones."""
    merged = dict(inherited)
    section = scope.problems.mapping(raw, f"the artifacts of {what}", place)
    for name, entry in section.items():
        found = read_artifact(name, entry, place_of(section, name), scope, merged.get(name))
        if found is not None:
            merged[name] = found
    return merged


def read_artifact(
    name: str, raw: Any, place: Place | None, scope: Scope, inherited: Artifact | None = None
) -> Artifact | None:
    """One artifact over the one it refines, from a file's name or a map; None, and an error, if it is neither."""
    problems = scope.problems
    if isinstance(raw, str):
        return Artifact(name, _type_by_suffix(raw), raw, place=place, base=scope.base)
    if not isinstance(raw, Mapping):
        problems.add(f"artifact '{name}' must be a file or a map, not {kind_of(raw)}", place)
        return None
    raw = problems.mapping(raw, f"artifact '{name}'", place)
    problems.check_keys(raw, "artifact", place)
    file = raw.get("file", inherited.file if inherited is not None else None)
    # in Unfurl's dialect a type may declare an artifact that its templates have to give
    if file is None and "contents" not in raw and not scope.is_unfurl:
        problems.add(f"artifact '{name}' names no file", place, "add file:")
        return None
    type_name = inherited.type if inherited is not None else ROOTS["artifact"]
    if raw.get("type") is not None:
        type_name = scope.types.canonical("artifact", raw["type"], scope, place_of(raw, "type")) or type_name
    artifact = Artifact(name, type_name, str(file or ""), place=place, base=scope.base)
    if inherited is not None and "file" not in raw:
        artifact.base = inherited.base
    artifact.repository = problems.text(
        raw.get("repository", inherited.repository if inherited is not None else None),
        f"the repository of artifact '{name}'",
        place_of(raw, "repository"),
    )
    known = scope.repositories
    if artifact.repository is not None and "repository" in raw and artifact.repository not in known:
        where = place_of(raw, "repository")
        if not scope.is_unfurl:
            problems.add(f"unknown repository '{artifact.repository}'", where, nearest(artifact.repository, known))
    for key in ("deploy_path", "checksum", "checksum_algorithm"):
        value = raw.get(key, getattr(inherited, key, None))
        setattr(artifact, key, None if value is None else as_written(value))
    version = raw.get("artifact_version", raw.get("version", getattr(inherited, "version", None)))
    artifact.version = None if version is None else as_written(version)
    artifact.metadata = dict(problems.mapping(raw.get("metadata"), f"metadata of artifact '{name}'", place))
    _read_properties(artifact, raw, scope, inherited.properties if inherited is not None else {})
    return artifact


def _read_properties(
    artifact: Artifact, raw: Mapping[str, Any], scope: Scope, inherited: Mapping[str, Assignment]
) -> None:
    what = f"artifact '{artifact.name}'"
    properties = scope.problems.mapping(raw.get("properties"), f"the properties of {what}", place_of(raw, "properties"))
    artifact.properties = dict(inherited)
    entity = scope.types.named("artifact", artifact.type)
    if entity is None:
        return
    artifact.interfaces = entity.interfaces
    for name, value in properties.items():
        where = place_of(properties, name)
        definition = entity.properties.get(name)
        artifact.properties[name] = Assignment(value, definition, where, scope.base)
        if definition is not None:
            scope.types.check_later(value, definition, f"property '{name}' of {what}", where)
        elif not entity.is_open:
            scope.problems.add(f"{what} has no property '{name}'", where, nearest(name, entity.properties))
    for name, definition in entity.properties.items():
        if name not in artifact.properties and definition.has_default:
            artifact.properties[name] = Assignment(definition.default, definition, definition.place, is_default=True)


def _type_by_suffix(file: str) -> str:
    suffix = Path(file).suffix
    if suffix in (".sh", ".bash"):
        return "tosca.artifacts.Implementation.Bash"
    return "tosca.artifacts.Implementation.Python" if suffix == ".py" else "tosca.artifacts.File"


def looks_like_file(text: str) -> bool:
    """Whether a text is the relative path of a file that an operation is implemented by."""
    if any(letter.isspace() or letter in "{}<>|;&$" for letter in text) or "://" in text:
        return False
    path = Path(text)
    return not path.is_absolute() and not text.startswith("~") and path.suffix.lower() in SUFFIXES
