"""The section `mesh` of an environment: the nodes of a Receptor mesh that operations run on, and which runs where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.documents.yaml import place_of

_KEYS = ("socket", "key", "place")
#: What of an operation rules may match.
MATCHED = ("instance", "template", "type")
#: In place of a node: this machine.
LOCAL = "local"


class Rule(Struct, frozen=True):
    """Where operations run.

    Attributes:
        match: patterns, as of files, by names of `MATCHED`; all have to match.
        node: a pattern of ids of nodes, of which the one runs it that has the least to do; or `local`.
    """

    match: Mapping[str, str]
    node: str


class MeshSettings(Struct, frozen=True):
    """The settings.

    Attributes:
        socket: of the control service of a Receptor node here.
        key: the file of the private key that orders are signed with.
        rules: the first that matches says where an operation runs; without one it runs here.
    """

    socket: Path
    key: Path
    rules: tuple[Rule, ...] = ()


def mesh_settings(section: object, folder: Path, place: Place | None = None) -> MeshSettings | None:
    """Read a `mesh` section, whose paths start in a folder; None, where there is none, means no mesh."""
    if section is None:
        return None
    _check_keys("mesh", section, _KEYS, ("socket", "key"), place)
    assert isinstance(section, Mapping)
    rules = section.get("place") or []
    if not isinstance(rules, list):
        raise InvalidInput("place of mesh must be a list", place_of(section, "place") or place)
    socket, key = (folder / with_home(_text("mesh", section, name, place)) for name in ("socket", "key"))
    return MeshSettings(
        socket, key, tuple(_rule(rule, place_of(rules, one) or place) for one, rule in enumerate(rules))
    )


def _rule(rule: object, place: Place | None) -> Rule:
    _check_keys("a rule of mesh", rule, ("match", "node"), ("node",), place)
    assert isinstance(rule, Mapping)
    match = rule.get("match") or {}
    _check_keys("match of mesh", match, MATCHED, (), place)
    return Rule({key: _text("match", match, key, place) for key in match}, _text("a rule of mesh", rule, "node", place))


def _check_keys(
    what: str, section: object, known: tuple[str, ...], needed: tuple[str, ...], place: Place | None
) -> None:
    hint = f"its keys are {', '.join(known)}"
    if not isinstance(section, Mapping):
        raise InvalidInput(f"{what} must be a map", place, hint)
    for key in section:
        if key not in known:
            raise InvalidInput(f"{what} has no key {key!r}", place_of(section, key) or place, hint)
    for key in needed:
        if key not in section:
            raise InvalidInput(f"{what} lacks {key}", place, hint)


def _text(what: str, section: Mapping[str, Any], key: str, place: Place | None) -> str:
    value = section[key]
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{key} of {what} must be a text", place_of(section, key) or place)
    return value
