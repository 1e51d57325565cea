"""Answers of the API."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web


def answer(document: Any, status: int = 200) -> web.Response:
    """A document in JSON, which no browser keeps."""
    text = json.dumps(document, ensure_ascii=False, default=str, separators=(",", ":"))
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=text, status=status, content_type="application/json", headers=headers)
