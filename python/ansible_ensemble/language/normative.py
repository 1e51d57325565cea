"""The types that are always there: the standard's, which the tosca-parser package carries, a supplement, our own.

The package is not imported: its import costs more than all of a small job's start. Of its definitions those that the
supplement has too are left aside: they are of an older version of the standard or incomplete.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.yaml import read_yaml

SUPPLEMENT = Path(__file__).parent / "supplement.yaml"
_PROFILE = Path(__file__).parent / "profile.yaml"

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
    return place is not None and Path(place.file) in (SUPPLEMENT, _PROFILE)


def definitions_file() -> Path:
    """The data file with the type definitions of TOSCA that tosca-parser carries.

    Raises:
        EnsembleError: if the package is not installed.
    """
    spec = importlib.util.find_spec("toscaparser")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "elements" / "TOSCA_definition.yaml"
        if file.is_file():
            return file
    raise EnsembleError("the package tosca-parser is missing", hint="pip install tosca-parser")


@cache
def normative_documents() -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]:
    """The definitions of the standard, the supplement (Unfurl's dialect, aliases), and the profile `tosca.ensemble`.

    Reading costs 10 ms, once in a process. Nobody may change them.
    """
    return read_yaml(definitions_file()).data, read_yaml(SUPPLEMENT).data, read_yaml(_PROFILE).data
