"""What became of a request that did not succeed."""

from __future__ import annotations

import os

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects.codec import Undecodable, decode
from ansible_ensemble.provision.objects.event import Error

#: Exit codes of a command that ends with such a failure.
NOT_FOUND, REFUSED, UNREACHABLE = 5, 6, 7


class RequestFailed(EnsembleError):
    """A server refused a request, or could not be reached.

    Attributes:
        error: what the server said: type, model, key and messages; its code is the HTTP status, 0 without an answer.
    """

    def __init__(self, error: Error) -> None:
        super().__init__(describe(error))
        self.error = error
        self.exit_code = _exit_code(error.code)

    def __reduce__(self) -> tuple[type[RequestFailed], tuple[Error]]:
        return (type(self), (self.error,))


def describe(error: Error) -> str:
    """An error as people read it: several messages are lines of their own."""
    about = "/".join(part for part in (error.model, error.key) if part)
    head = ": ".join(part for part in (error.type, about) if part)
    if len(error.messages) > 1:
        return "\n  ".join([head, *error.messages])
    return ": ".join(part for part in (head, *error.messages) if part) or f"HTTP status {error.code}"


def _exit_code(status: int) -> int:
    """The exit code for an HTTP status; without an answer that is 0."""
    if status in (0, 502, 503, 504):
        return UNREACHABLE
    return NOT_FOUND if status == 404 else REFUSED if 400 <= status < 500 else 1


def refusal(method: str, path: str, status: int, body: bytes) -> RequestFailed:
    """The failure that an answer tells of, also where its body is not the JSON of an error."""
    try:
        error = decode(Error, body)
    except Undecodable:
        error = Error()
    if not (error.type or error.messages):
        error = Error(type=method, model=path, messages=[f"the server answered with HTTP status {status}"])
    return RequestFailed(error.replaced(code=status))


def untrusted(endpoint: str, problem: str) -> RequestFailed:
    """The failure of a request to a server whose certificate is not the one that is expected."""
    return RequestFailed(
        Error(type="CONNECT", model=endpoint, messages=[f"the server's certificate is not trusted: {problem}"])
    )


def unreachable(endpoint: str, reason: BaseException) -> RequestFailed:
    """The failure of a request that got no answer."""
    said = os.strerror(reason.errno) if isinstance(reason, ConnectionError) and reason.errno else reason
    return RequestFailed(
        Error(type="CONNECT", model=endpoint, messages=[f"no answer: {said or type(reason).__name__}"])
    )
