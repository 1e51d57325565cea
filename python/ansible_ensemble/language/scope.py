"""What a file sees: its own names, and those of the files it imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.language.entities import EntityType

if TYPE_CHECKING:
    from ansible_ensemble.language.problems import Problems
    from ansible_ensemble.language.types import Types

#: Section of a service template by kind of type.
SECTIONS: dict[str, str] = {
    "node": "node_types",
    "relationship": "relationship_types",
    "capability": "capability_types",
    "interface": "interface_types",
    "artifact": "artifact_types",
    "data": "data_types",
    "policy": "policy_types",
    "group": "group_types",
}

#: The version that means Unfurl's dialect.
UNFURL_VERSION = "tosca_simple_unfurl_1_0_0"

#: Versions that are understood [TOSCA 1.3, 3.1].
VERSIONS: tuple[str, ...] = (
    "tosca_simple_yaml_1_0",
    "tosca_simple_yaml_1_1",
    "tosca_simple_yaml_1_2",
    "tosca_simple_yaml_1_3",
    UNFURL_VERSION,
)


@dataclass(slots=True, eq=False)
class Declaration:
    """A type as it is declared in a file.

    Attributes:
        kind: the kind of type, a key of `SECTIONS`.
        name: canonical name: the declared one, after the prefix its file was first imported with.
        raw: its definition as written.
        scope: what its file sees.
        built: the type, once it is built.
    """

    kind: str
    name: str
    raw: Any
    scope: Scope
    place: Place | None = None
    built: EntityType | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """What a file sees.

    Attributes:
        base: directory that relative paths of the file start in.
        is_normative: whether it is the standard's own definitions, which are not checked.
        types: the registry that its names are looked up in.
        names: declarations by kind and by the name that the file knows them under.
        template: the file's own topology template, as written.
        imported: scopes of the files it imports, in order.
        built_in_prefixes: those it gives to Unfurl's own types, which are always there.
    """

    file: Path
    base: Path
    types: Types
    version: str = ""
    prefix: str = ""
    is_normative: bool = False
    names: dict[str, dict[str, Declaration]] = field(default_factory=lambda: {kind: {} for kind in SECTIONS})
    repositories: dict[str, Any] = field(default_factory=dict)
    repository_places: dict[str, Place | None] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)
    template: Mapping[str, Any] = field(default_factory=dict)
    imported: list[Scope] = field(default_factory=list)
    built_in_prefixes: set[str] = field(default_factory=set)

    @property
    def problems(self) -> Problems:
        """Where errors are noted."""
        return self.types.problems

    @property
    def is_unfurl(self) -> bool:
        """Whether the file is written in Unfurl's dialect."""
        return self.version == UNFURL_VERSION
