"""Types whose own properties are what their module, role or tasks are given: `docker.Container`, `file.Template`.

Such a type has `arguments: properties` among its metadata, and derives from one of the types `ansible.*`, whose
properties say what runs and where. What it declares beside these are arguments or variables, and so is what it does not
declare if it is open.
"""

from __future__ import annotations

from msgspec.structs import replace

from ansible_ensemble.language.entities import Assignment, EntityType, NodeTemplate

_ARGUMENTS = "arguments"
_PROPERTIES = "properties"
_NAME = "name"


def own_arguments(node: NodeTemplate) -> list[str]:
    """The properties of a node that are arguments; one called `name` that nobody sets is the node's name.

    Paths in defaults are relative to the folder of the node's own file, and what is wrong with one is told of the node.
    """
    base = _base(node.type)
    if base is None:
        return []
    definition = node.type.properties.get(_NAME)
    if definition is not None and _NAME not in node.properties:
        node.properties[_NAME] = Assignment(node.name.rpartition(":")[2], definition, is_default=True)
    folder = next((one.base for one in node.properties.values() if one.base is not None), None)
    node.properties = {
        name: replace(one, base=folder, place=node.place) if one.is_default else one
        for name, one in node.properties.items()
    }
    return [name for name, one in node.properties.items() if name not in base.properties and one.value is not None]


def is_inner(node: NodeTemplate, name: str) -> bool:
    """Whether a property is how such a type does its work, and nobody set it: the role of a `file.Template`."""
    base = _base(node.type)
    return base is not None and name in base.properties and node.properties[name].is_default


def _base(kind: EntityType) -> EntityType | None:
    """The type that says what runs, from which one with arguments derives."""
    lineage = list(kind.lineage())
    marked = [at for at, one in enumerate(lineage) if one.metadata.get(_ARGUMENTS) == _PROPERTIES]
    return lineage[marked[-1] + 1] if marked else None
