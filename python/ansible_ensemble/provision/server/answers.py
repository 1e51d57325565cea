"""Answers: JSON, also where there is nothing to say; refusals; errors that tell nothing of the inside."""

from __future__ import annotations

import hashlib
import logging
import secrets
import traceback
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Error
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.store.transaction import Unavailable

_LOG = logging.getLogger(__name__)

JSON = "application/json"
BYTES = "application/octet-stream"


def body_of(value: Any) -> bytes:
    """A value as the body of an answer; of an object what may be shown of it."""
    return encode(value.public() if isinstance(value, Object) else value)


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """An answer with a value."""
    return web.Response(body=body_of(value), status=status, headers=headers, content_type=JSON)


def nothing() -> web.Response:
    """An answer without a body; clients want to be told its type all the same."""
    return web.Response(status=204, headers={"Content-Type": JSON})


def tag_of(body: bytes) -> str:
    """What tells a body from another one."""
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def error_answer(error: Error) -> web.Response:
    """The answer that refuses."""
    made = answer(error, error.code)
    if error.code == 401:
        made.headers["WWW-Authenticate"] = "dr-provision"
    return made


def answer_to(error: Exception, request: web.Request) -> web.Response:
    """The answer to a request that failed; what nobody foresaw is logged, and only its number is told."""
    if isinstance(error, Refused):
        return error_answer(error.error)
    if isinstance(error, web.HTTPException):
        return _http_answer(error, request)
    if isinstance(error, Unavailable):
        _LOG.error("the store does not serve: %s", error.message)
        return error_answer(_error(request, 503, "The store does not serve now, try later"))
    number = secrets.token_hex(4)
    place = traceback.extract_tb(error.__traceback__)[-1]
    _LOG.error("error %s: %s in %s:%s", number, type(error).__name__, place.filename, place.lineno)
    _LOG.debug("error %s", number, exc_info=error)
    return error_answer(_error(request, 500, f"Internal error {number}"))


_WORDS = {404: "Not Found", 405: "Method not allowed", 413: "Request too large"}


def _http_answer(error: web.HTTPException, request: web.Request) -> web.Response:
    made = error_answer(_error(request, error.status, _WORDS.get(error.status, error.reason)))
    if error.status == 405 and "Allow" in error.headers:
        made.headers["Allow"] = error.headers["Allow"]
    return made


def _error(request: web.Request, status: int, message: str) -> Error:
    return Error(type=request.method, model="", key=request.path, messages=[message], code=status)
