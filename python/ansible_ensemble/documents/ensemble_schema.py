"""The schema of ensemble.yaml: shipped as a file for editors and docs, and used by our own check."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.core.notices import Notice, NoticeCode
from ansible_ensemble.documents.schema import UnknownKey, violations
from ansible_ensemble.documents.yaml import Document, key_place_of

SCHEMA_FILE = Path(__file__).with_name("ensemble.schema.json")
"""The JSON Schema (2020-12) of an ensemble."""

RECORDED_SECTIONS = ("status", "lastJob", "jobsLog", "lock", "changes")
"""What jobs write into an ensemble's file; all else is written by people."""

_OLDER_KIND = "Manifest"
"""The kind of an ensemble in older files of Unfurl."""

_OF_TEMPLATES = ("tosca_definitions_version", "resources")
"""What only service templates have."""


@cache
def ensemble_schema() -> dict[str, Any]:
    """Return the JSON Schema of an ensemble."""
    schema: dict[str, Any] = json.loads(SCHEMA_FILE.read_text("utf-8"))
    return schema


def project_schema() -> dict[str, Any]:
    """Return the JSON Schema of a project's file."""
    schema = ensemble_schema()
    return {**schema["$defs"]["project"], "$defs": schema["$defs"]}


def check_ensemble(document: Document) -> list[Notice]:
    """Check that a document, which may have merge directives, is an ensemble.

    Returns:
        Notices of the sections of Unfurl's files that nothing acts on.
    """
    written = document.data if isinstance(document.data, Mapping) else {}
    for key in _OF_TEMPLATES:
        if key in written and "kind" not in written:
            message = f"this is a service template, and {document.path.name} is an ensemble's file"
            hint = "give it a name of its own, for instance service-template.yaml"
            raise InvalidInput(message, key_place_of(written, key), hint)
    schema = ensemble_schema()
    if is_of_unfurl(document.data) and written.get("kind") == _OLDER_KIND:
        schema = {**schema, "properties": {**schema["properties"], "kind": True}}
    found, notices = violations(document.data, schema, document.place), []
    if is_of_unfurl(document.data):
        others = [one for one in found if isinstance(one, UnknownKey)]
        found = [one for one in found if not isinstance(one, UnknownKey)]
        # Unfurl's files keep what their merge directives name in sections of their own
        idle = [one for one in others if not _names(document.text, one.path)]
        notices = [_ignored(one) for one in idle]
    if any(one.message.startswith("kind is ") for one in found):
        found = [one for one in found if one.message.startswith("kind is ")]  # its keys are those of something else
    raise_all(found)
    return notices


def _ignored(error: UnknownKey) -> Notice:
    return Notice(NoticeCode.IGNORED_KEY, f"`{error.path}` is ignored", error.place, special=error.hint)


def _names(text: str, path: str) -> bool:
    """Whether a merge directive of a file names something at or below a path."""
    return re.search(rf"\+\??/{re.escape(path.replace('.', '/'))}(?![^/\s:,}}'\"])", text) is not None


def is_of_unfurl(data: Any) -> bool:
    """Whether an ensemble is one of Unfurl's, by its `apiVersion`."""
    return isinstance(data, Mapping) and str(data.get("apiVersion")).startswith("unfurl/")
