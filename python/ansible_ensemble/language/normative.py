"""The standard's own types, read from the data file that the tosca-parser package carries, and a supplement.

The package is not imported: its import costs more than all of a small job's start. Of its definitions those that the
supplement has too are left aside: they are of an older version of the standard or incomplete.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.language.scope import SECTIONS, Declaration, Scope

if TYPE_CHECKING:
    from ansible_ensemble.language.types import Types

SUPPLEMENT = Path(__file__).parent / "supplement.yaml"

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


def normative_scope(types: Types) -> Scope:
    """Every type of the standard, and of Unfurl's dialect, by canonical name and aliases.

    Reading costs 3 ms; a type is built only when something asks for it.
    """
    scope = Scope(SUPPLEMENT, SUPPLEMENT.parent, types, is_normative=True)
    supplement = read_yaml(SUPPLEMENT).data
    for definitions in (read_yaml(definitions_file()).data, supplement):
        for kind, section in SECTIONS.items():
            known = scope.names[kind]
            for name, raw in (definitions.get(section) or {}).items():
                known[name] = Declaration(kind, name, raw, scope)
    for kind, aliases in supplement["aliases"].items():
        for alias, name in aliases.items():
            scope.names[kind][alias] = scope.names[kind][name]
    return scope


def normative_declaration(scope: Scope, kind: str, name: str) -> Declaration | None:
    """The normative type of this full, shorthand (`Compute`) or prefixed (`tosca:Compute`) name."""
    known = scope.names[kind]
    name = name.removeprefix("tosca:")
    found = known.get(name)
    if found is not None:
        return found
    for prefix in SHORTHANDS[kind]:
        found = known.get(prefix + name)
        if found is not None:
            return found
    return None
