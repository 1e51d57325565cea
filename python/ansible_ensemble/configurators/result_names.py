"""Values that an expression reads of a module's result, and that the module never returns.

What a module returns is in its documentation, which may lack something. So only a name is refused that neither stands
there nor anywhere in the module's source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.implementation import MODULE, resolve
from ansible_ensemble.configurators.locations import BUILTIN, ansible_homes, collection_folders
from ansible_ensemble.configurators.module_names import module_file
from ansible_ensemble.configurators.module_sources import sources, util_file
from ansible_ensemble.configurators.module_spec import documented_text
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import NodeTemplate, Topology

_GET, _RESULT = "get_attribute", "result"
#: What any module may return [Ansible, "Return Values"].
_COMMON = frozenset(
    {"ansible_facts", "backup_file", "changed", "cmd", "delta", "deprecations", "diff", "end", "exception", "failed"}
    | {"invocation", "msg", "rc", "results", "skipped", "start", "stderr", "stderr_lines", "stdout", "stdout_lines"}
    | {"warnings"}
)
#: Modules that return names that only a run knows: headers, variables, facts.
_ANY = frozenset(f"{BUILTIN}{name}" for name in ("debug", "gather_facts", "include_vars", "set_fact", "setup", "uri"))


def result_faults(topology: Topology, root: Path) -> Iterator[InvalidInput]:
    """Each value that is read of a module's result, and that the module never returns."""
    for name, template in topology.node_templates.items():
        if template.place is None:
            continue
        for one in template.properties.values():
            yield from _faults(one.value, one.place, name, topology, root)
        for interface in template.interfaces.values():
            for operation in interface.operations.values():
                for given in operation.inputs.values():
                    yield from _faults(given.value, given.place or operation.place, name, topology, root)
    for output in topology.outputs.values():
        yield from _faults(output.value, output.place, "", topology, root)


def _faults(value: Any, place: Place | None, own: str, topology: Topology, root: Path) -> Iterator[InvalidInput]:
    """Those in a raw value; `own` is the node template that it is of."""
    if isinstance(value, list):
        for at, one in enumerate(value):
            yield from _faults(one, place_of(value, at) or place, own, topology, root)
    elif isinstance(value, Mapping):
        read = value.get(_GET) if len(value) == 1 else None
        if isinstance(read, list) and len(read) > 2 and read[1] == _RESULT and isinstance(read[2], str):
            name = own if read[0] == "SELF" else str(read[0])
            template = topology.node_templates.get(name)
            known = _returned(template, root) if template is not None else None
            if known is not None and read[2] not in known[1]:
                message = f"the module {known[0]} of '{name}' never returns '{read[2]}'"
                documented = sorted(_documented(known[0], root) | {"changed", "msg"})
                yield InvalidInput(message, place_of(read, 2) or place, nearest_or_known(read[2], documented))
            return
        for key, one in value.items():
            yield from _faults(one, place_of(value, key) or place, own, topology, root)


def _returned(template: NodeTemplate, root: Path) -> tuple[str, frozenset[str]] | None:
    """The module that makes a node, with the names that may be in its result; None if nobody knows."""
    operation = template.operation("Standard", "configure")
    if operation is None or operation.implementation is None or operation.implementation.class_name != MODULE:
        return None
    module = resolve(operation, root).target
    if module in _ANY or not _documented(module, root):
        return None
    names = _names(module, root)
    return (module, names) if names is not None else None


@lru_cache(maxsize=256)
def _documented(module: str, root: Path) -> frozenset[str]:
    file = module_file(module, collection_folders(root))
    data = documented_text(file, "RETURN") if file is not None and file.suffix == ".py" else None
    return frozenset(map(str, data)) if isinstance(data, Mapping) else frozenset()


@lru_cache(maxsize=256)
def _names(module: str, root: Path) -> frozenset[str] | None:
    """Names in the documentation of what a module returns, and all in its source; None if that cannot be read."""
    collections = collection_folders(root)
    file = module_file(module, collections)
    assert file is not None
    bases = [*(home.parent for home in ansible_homes()), *(folder.parent for folder in collections)]

    def find(util: str) -> str | None:
        return next((found for base in bases if (found := util_file(util, base))), None)

    action = file.parent.parent / "action" / file.name
    if not action.is_file():
        action = next(
            (one for home in ansible_homes() if (one := home / "plugins/action" / file.name).is_file()), action
        )
    texts = [*sources(module, str(file), find), *([action.read_bytes()] if action.is_file() else [])]
    try:
        return _COMMON | _documented(module, root) | frozenset(name for text in texts for name in _words(text))
    except (SyntaxError, ValueError):  # for another version of Python
        return None


def _words(source: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name | ast.arg):
            yield node.id if isinstance(node, ast.Name) else node.arg
