"""Rewrites a document that is JSON, so that it still is JSON: for whoever else reads the file."""

from __future__ import annotations

import json
from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.scalars import with_texts
from ansible_ensemble.documents.yaml import Document

_INDENT = regex(r"\{\r?\n( +)")


def rewritten_json(document: Document, data: Any) -> str | None:
    """The data as JSON, indented as the document is; None where that is not JSON, or the data cannot be told in it."""
    if not document.text.startswith("{") or with_texts(data) is not data:
        return None
    indent = _INDENT.match(document.text)
    try:
        json.loads(document.text)
        text = json.dumps(_checked(data), indent=len(indent[1]) if indent else 2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return text + "\n"


def _checked(data: Any) -> Any:
    """The data itself; what is encrypted or sensitive has no form in JSON.

    Raises:
        TypeError: there is such a value in it, or a key that is not text.
    """
    if isinstance(data, dict):
        if not all(isinstance(key, str) for key in data):
            raise TypeError("a key is not text")
        for item in data.values():
            _checked(item)
    elif isinstance(data, list | tuple):
        for item in data:
            _checked(item)
    elif type(data) not in {str, int, float, bool, type(None)}:
        raise TypeError(type(data).__name__)
    return data
