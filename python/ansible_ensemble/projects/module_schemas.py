"""JSON Schemas of the arguments of modules that people use in a project, by the modules' names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.argument_schema import Json, argument_schema
from ansible_ensemble.configurators.locations import BUILTIN, builtin_modules, collection_folders
from ansible_ensemble.configurators.module_names import collection_modules
from ansible_ensemble.configurators.module_spec import module_spec
from ansible_ensemble.language.editor_schema import MERGED, computed_reference, module_reference
from ansible_ensemble.language.entities import Topology


def module_schemas(topology: Topology, root: Path, collections: Iterable[str] = ()) -> dict[str, Json]:
    """Schemas by name: of the modules that node templates name, Ansible's own, and those of collections.

    Args:
        topology: whose node templates are looked at.
        root: the project's folder, which may have collections and a folder `library`.
        collections: names of collections.
    """
    folders, libraries = collection_folders(root), (root / "library",)
    own = (BUILTIN + name for name in builtin_modules())
    asked = [name for one in collections for name in collection_modules(one, folders)]
    names = sorted({*own, *asked, *_named(topology)})
    specs = {name: module_spec(name, folders, libraries) for name in names}
    made = {name: argument_schema(spec, computed_reference(), MERGED) for name, spec in specs.items() if spec}
    short = {name: name.removeprefix(BUILTIN) for name in made if name.startswith(BUILTIN)}
    return {**{to: module_reference(name) for name, to in short.items()}, **made}


def _named(topology: Topology) -> Iterator[str]:
    for node in topology.node_templates.values():
        values = {name: one.value for name, one in node.properties.items()}
        for part in (values, values.get("absent")):
            module: Any = part.get("module") if isinstance(part, Mapping) else None
            if isinstance(module, str):
                yield module
