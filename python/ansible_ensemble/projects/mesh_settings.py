"""The section `mesh` of an environment: the nodes of a Receptor mesh that operations run on, and which runs where."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.documents.yaml import place_of
from ansible_ensemble.projects.sections import as_section

_KEYS = ("socket", "key", "known_nodes", "place", "per_node")
#: Operations of a job that a node has at once: as many as a worker carries out, and a few that wait there.
_PER_NODE = 24
#: What of an operation rules may match.
MATCHED = ("instance", "template", "type", "host", "group", "metadata")
#: In place of a node: this machine.
LOCAL = "local"


class Rule(Struct, frozen=True):
    """Where operations run.

    Attributes:
        match: patterns, as of files, by names of `MATCHED`, of each of which one has to match.
        metadata: such patterns by keys of metadata.
        node: a pattern of ids of nodes, of which the one runs it that has the least to do; or `local`.
    """

    match: Mapping[str, tuple[str, ...]]
    node: str
    metadata: Mapping[str, tuple[str, ...]] = {}
    place: Place | None = None

    @property
    def is_for_all(self) -> bool:
        """Whether it matches whatever there is."""
        return not self.match and not self.metadata


class MeshSettings(Struct, frozen=True):
    """The settings.

    Attributes:
        socket: of the control service of a Receptor node here.
        key: the file of the private key that orders are signed with.
        rules: the first that matches says where an operation runs; without one it runs here.
        per_node: how many operations of a job a node has at once.
        known_nodes: the file of the keys that nodes are known by; None lets operations run on any node.
    """

    socket: Path
    key: Path
    rules: tuple[Rule, ...] = ()
    per_node: int = _PER_NODE
    known_nodes: Path | None = None


def mesh_settings(section: object, folder: Path, place: Place | None = None) -> MeshSettings | None:
    """Read a `mesh` section, whose paths start in a folder; None, where there is none, means no mesh."""
    if section is None:
        return None
    mesh = as_section(section, "mesh", _KEYS, place, needed=("socket", "key"))
    rules = mesh.get("place") or []
    if not isinstance(rules, list):
        raise InvalidInput("place of mesh must be a list", place_of(mesh, "place") or place)
    paths = ("socket", "key", "known_nodes")
    files = {name: folder / with_home(_text("mesh", mesh, name, place)) for name in paths if name in mesh}
    per_node = mesh.get("per_node", _PER_NODE)
    if isinstance(per_node, bool) or not isinstance(per_node, int) or per_node < 1:
        raise InvalidInput("per_node of mesh must be a number, 1 or more", place_of(mesh, "per_node") or place)
    found = tuple(_rule(rule, place_of(rules, one) or place) for one, rule in enumerate(rules))
    for before, rule in pairwise(found):
        if before.is_for_all:
            message = "nothing comes to this rule of mesh, for the one before it matches everything"
            raise InvalidInput(message, rule.place, "the first that matches counts: put it last")
    return MeshSettings(**files, rules=found, per_node=per_node)


def _rule(rule: object, place: Place | None) -> Rule:
    written = as_section(rule, "a rule of mesh", ("match", "node"), place, needed=("node",))
    match = as_section(written.get("match") or {}, "match of mesh", MATCHED, place)
    metadata = match.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput("metadata of match must be a map", place_of(match, "metadata") or place)
    return Rule(
        {key: _patterns("match", match, key, place) for key in match if key != "metadata"},
        _text("a rule of mesh", written, "node", place),
        {str(key): _patterns("metadata of match", metadata, key, place) for key in metadata},
        place,
    )


def _patterns(what: str, section: Mapping[str, Any], key: str, place: Place | None) -> tuple[str, ...]:
    value = section[key]
    found = value if isinstance(value, list) else [value]
    if not found or not all(isinstance(one, str) and one for one in found):
        raise InvalidInput(f"{key} of {what} must be a pattern, or a list of them", place_of(section, key) or place)
    return tuple(map(str, found))


def _text(what: str, section: Mapping[str, Any], key: str, place: Place | None) -> str:
    value = section[key]
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{key} of {what} must be a text", place_of(section, key) or place)
    return value
