"""Answers of the API."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

from aiohttp import web

from ansible_ensemble.reports.values import one_line

_dumps = partial(json.dumps, default=str, separators=(",", ":"), allow_nan=False)


def json_text(document: Any) -> str:
    """A document in JSON that every browser reads: infinity and NaN, which JSON has not, are texts as in YAML."""
    try:
        return _dumps(document)
    except ValueError:
        return _dumps(_finite(document))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return one_line(value) if isinstance(value, float) and not math.isfinite(value) else value


def answer(document: Any, status: int = 200) -> web.Response:
    """A document in JSON, which no browser keeps."""
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=json_text(document), status=status, content_type="application/json", headers=headers)
