"""Alien4Cloud's dialect, `alien_dsl_2_0_0` and others of that name: where it differs, in the words of TOSCA 1.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.places import Map, Seq, changed
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.normative import SECTIONS

_VERSION = regex(r"alien_dsl_\d+_\d+_\d+")
#: The archive of the standard's own types, which are always there; any version of it.
_NORMATIVE = "tosca-normative-types:"


def is_alien4cloud(version: object) -> bool:
    """Whether a version is one of this dialect."""
    return isinstance(version, str) and _VERSION.fullmatch(version) is not None


def from_alien4cloud(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file of this dialect as one of 1.3 that means the same.

    The import of the standard's types is left out, `tags` of a type are metadata, `abstract` says nothing to whoever
    deploys, an attribute that is given by a function has that as its default, and a requirement has the name that its
    type gives it, which `type_requirement` is.
    """
    made = _with(document, "imports", _imports)
    for section in SECTIONS.values():
        made = _with(made, section, lambda types: changed(types, _type) if isinstance(types, dict) else types)
    found: Mapping[str, Any] = _with(made, "topology_template", lambda body: _with(body, "node_templates", _templates))
    return found


def _with(raw: Any, key: str, change: Any) -> Any:
    """A map with one of its values changed, if it has it."""
    if not isinstance(raw, Mapping) or key not in raw:
        return raw
    return changed(raw, lambda value: change(value) if value is raw[key] else value)


def _imports(raw: Any) -> Any:
    if not isinstance(raw, Seq):
        return raw
    kept = [number for number, one in enumerate(raw) if not (isinstance(one, str) and one.startswith(_NORMATIVE))]
    made = Seq([raw[number] for number in kept])
    made.source, made.start, made.marks = raw.source, raw.start, [raw.marks[number] for number in kept]
    return made


def _type(raw: Any) -> Any:
    if not isinstance(raw, Map):
        return raw
    made = Map()
    made.source, made.start = raw.source, raw.start
    for key, value in raw.items():
        if key == "tags" and "metadata" not in raw:
            made.adopt("metadata", value, raw, key)
        elif key not in {"tags", "abstract"}:
            made.adopt(key, value, raw)
    return _with(made, "attributes", lambda section: changed(section, _attribute) if section else section)


def _attribute(raw: Any) -> Any:
    return {"type": "string", "default": raw} if is_computed(raw) else raw


def _templates(raw: Any) -> Any:
    return changed(raw, lambda body: _with(body, "requirements", _requirements)) if isinstance(raw, dict) else raw


def _requirements(raw: Any) -> Any:
    return changed(raw, _requirement) if isinstance(raw, list) else raw


def _requirement(raw: Any) -> Any:
    """A requirement by the name that its type gives it."""
    name = next(iter(raw)) if isinstance(raw, Map) and len(raw) == 1 else None
    body = raw[name] if name is not None else None
    if not isinstance(body, Map) or not isinstance(body.get("type_requirement"), str):
        return raw
    made, inner = Map(), Map()
    made.source, made.start, inner.source, inner.start = raw.source, raw.start, body.source, body.start
    for key in [one for one in body if one != "type_requirement"]:
        inner.adopt(key, body[key], body)
    made.adopt(body["type_requirement"], inner, raw, name)
    return made
