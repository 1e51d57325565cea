"""Bodies of requests."""

from __future__ import annotations

from typing import TypeVar

from ansible_ensemble.provision.objects.codec import Undecodable, decode
from ansible_ensemble.provision.rules.refusal import Refused

T = TypeVar("T")


def parsed_body(kind: type[T], body: bytes, method: str, model: str, key: str = "") -> T:
    """What a body holds.

    Args:
        kind: what it should be.
        body: its JSON.
        method: of the request, for the refusal.
        model: the kind of object, for the refusal.
        key: the key of the object, for the refusal.

    Raises:
        Refused: 400, it holds no such thing.
    """
    try:
        return decode(kind, body)
    except Undecodable as error:
        raise Refused(400, str(error), type=method, model=model, key=key) from None
