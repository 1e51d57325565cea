"""Files of variables that nodes of the types `ansible.*` take: `keywords: {vars_files: [vars/site.yml]}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.documents.paths import confine
from ansible_ensemble.documents.places import Map, place_of
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import kind_of

VARS_FILES = "vars_files"
_VARS = "vars"
_ENCRYPTED = b"$ANSIBLE_VAULT;"


def take_vars_files(node: NodeTemplate, topology: Topology, root: Path) -> None:
    """Put the variables of a node's files among its `vars`; as in a play, they go before those written there."""
    keywords = node.properties.get("keywords")
    if keywords is None or not isinstance(keywords.value, Mapping) or VARS_FILES not in keywords.value:
        return
    written, made, variables = keywords.value, Map(), Map()
    for key, value in written.items():
        if key != VARS_FILES:
            made.adopt(key, value, written)
    beside = written.get(_VARS) or {}
    if not isinstance(beside, Mapping) or is_computed(beside):
        raise InvalidInput(f"`{_VARS}` beside {VARS_FILES} must be a map", place_of(written, _VARS) or node.place)
    for name, value in beside.items():
        variables.adopt(name, value, beside)
    place = place_of(written, VARS_FILES) or node.place
    for file, names in _named(written[VARS_FILES], place):
        path = confine(file, keywords.base or root, (root,), "the file of variables", place)
        found = _variables(path, file, place)
        for name in found if names is None else names:
            if name not in found:
                raise InvalidInput(f"{file} has no variable {name}", place, nearest_or_known(str(name), found))
            variables.adopt(name, found[name], found)
        if path not in topology.files:
            topology.files.append(path)
    made[_VARS] = variables
    node.properties["keywords"] = replace(keywords, value=made)


def _named(written: Any, place: Place | None) -> Iterator[tuple[str, list[Any] | None]]:
    """The files that are named, each with the names of the variables that are taken; None is all of them."""
    each = written if isinstance(written, list) else [written]
    for file, names in written.items() if isinstance(written, Mapping) else ((one, None) for one in each):
        if not isinstance(file, str) or not isinstance(names, list | None):
            hint = "write [FILE, ...], or {FILE: [NAME, ...]} for some of the variables of each"
            raise InvalidInput(f"{VARS_FILES} names no files", place, hint)
        yield file, names


def _variables(path: Path, shown: str, place: Place | None) -> Mapping[Any, Any]:
    if path.is_file() and path.read_bytes().startswith(_ENCRYPTED):
        raise InvalidInput(f"{shown} is encrypted", place, "group_vars and host_vars may be; or encrypt single values")
    if not path.is_file():
        raise InvalidInput(f"there is no file {shown} for {VARS_FILES}", place)
    data = read_yaml(path, shown).data
    if not isinstance(data, Mapping):
        raise InvalidInput(f"{shown} must be a map of variables, not {kind_of(data)}", place)
    return data
