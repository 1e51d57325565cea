"""The types that are always there: the standard's, which the tosca-parser package carries, a supplement, our own.

The package is not imported: its import costs more than all of a small job's start. Of its definitions those that the
supplement has too are left aside: they are of an older version of the standard or incomplete.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.yaml import parse_yaml

SUPPLEMENT = Path(__file__).parent / "supplement.yaml"
PROFILE = Path(__file__).parent / "profile.yaml"

#: The definitions of a file by section and name. Each is parsed when it is asked for: few types are used.
Definitions: TypeAlias = dict[str, dict[str, Callable[[], Any]]]
#: The key of a section or of a definition.
_KEY = regex(r"^(?:(?P<section>\w+)|  (?P<name>[\w.]+)):", re.MULTILINE)

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

#: The language's own data types [TOSCA 1.3, 3.2.1, 3.3, 5.3.2].
PRIMITIVES = frozenset(
    {
        *("string", "integer", "float", "boolean", "null", "timestamp", "version", "range", "list", "map", "any"),
        *("json", "xml", "scalar-unit", "scalar-unit.size", "scalar-unit.time", "scalar-unit.frequency"),
        *("scalar-unit.bitrate", "scalar"),
    }
)

#: The root of each kind of type, which a type without `derived_from` has as its parent.
ROOTS: dict[str, str] = {
    "node": "tosca.nodes.Root",
    "relationship": "tosca.relationships.Root",
    "capability": "tosca.capabilities.Root",
    "interface": "tosca.interfaces.Root",
    "artifact": "tosca.artifacts.Root",
    "data": "tosca.datatypes.Root",
    "policy": "tosca.policies.Root",
    "group": "tosca.groups.Root",
}

#: Where a short name may stand for a normative type [TOSCA 1.3, 5.1: shorthand names], by kind.
SHORTHANDS: dict[str, tuple[str, ...]] = {
    "node": ("tosca.nodes.", "tosca.nodes.network.", "tosca.nodes.Storage."),
    "relationship": ("tosca.relationships.", "tosca.relationships.network."),
    "capability": ("tosca.capabilities.", "tosca.capabilities.network."),
    "interface": (
        "tosca.interfaces.",
        "tosca.interfaces.node.lifecycle.",
        "tosca.interfaces.relationship.",
        "unfurl.interfaces.",
    ),
    "artifact": ("tosca.artifacts.", "tosca.artifacts.Implementation.", "tosca.artifacts.Deployment."),
    "data": ("tosca.datatypes.", "tosca.datatypes.network.", "tosca.datatypes.json.", "tosca.datatypes.xml."),
    "policy": ("tosca.policies.",),
    "group": ("tosca.groups.",),
}


def is_shipped(place: Place | None) -> bool:
    """Whether a place is in a file of the types that are always there, which users do not have before them."""
    return place is not None and Path(place.file) in (SUPPLEMENT, PROFILE)


def definitions_file() -> Path:
    """The data file with the type definitions of TOSCA that tosca-parser carries."""
    spec = importlib.util.find_spec("toscaparser")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "elements" / "TOSCA_definition.yaml"
        if file.is_file():
            return file
    raise EnsembleError("the package tosca-parser is missing", hint="pip install tosca-parser")


@cache
def normative_types() -> tuple[Definitions, Definitions, Definitions]:
    """The definitions of the standard, the supplement (Unfurl's dialect, aliases), and the profile `tosca.ensemble`.

    Nobody may change them.
    """
    return read_definitions(definitions_file()), read_definitions(SUPPLEMENT), read_definitions(PROFILE)


def read_definitions(file: Path) -> Definitions:
    """The definitions of a file, none of which refers to an anchor of another."""
    text = file.read_text("utf-8")
    keys = [*_KEY.finditer(text)]
    sections: Definitions = {}
    for key, end in zip(keys, [*(after.start() for after in keys[1:]), len(text)], strict=True):
        if key["section"]:
            section = sections[key["section"]] = {}
        else:
            section[key["name"]] = partial(_definition, file, text, key.start(), end)
    return sections


@cache
def _definition(file: Path, text: str, start: int, end: int) -> Any:
    """One definition, with its places in the file."""
    ((_name, definition),) = parse_yaml("\n" * text.count("\n", 0, start) + text[start:end], file).data.items()
    return definition
