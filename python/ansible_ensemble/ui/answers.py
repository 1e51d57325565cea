"""Answers of the API."""

from __future__ import annotations

from functools import partial
from typing import Any

from aiohttp import web

from ansible_ensemble.core.json_text import json_text

compact = partial(json_text, separators=(",", ":"))


def answer(document: Any, status: int = 200) -> web.Response:
    """A document in JSON, which no browser keeps."""
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=compact(document), status=status, content_type="application/json", headers=headers)
