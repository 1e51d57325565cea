"""Events, and errors as answers carry them."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.provision.objects.base import Record, Whole


class Event(Record, frozen=True, kw_only=True):
    """That an object was created, updated, saved or deleted; or what somebody posted.

    Attributes:
        time: when, in RFC 3339.
        type: the kind of object.
        action: `create`, `update` by a request for it, `save` as a consequence, `delete`.
        principal: who did it: `user:NAME`, `runner:UUID`, `system`.
        object: the object after.
        original: the object before, of updates and saves.
    """

    time: str
    type: str
    action: str
    key: str
    principal: str = ""
    object: Any = None
    original: Any = None


class Error(Record, frozen=True, kw_only=True):
    """The body of an answer that refuses."""

    model: str = ""
    key: str = ""
    type: str = ""
    messages: list[str] = []
    code: int = 0


class LogLine(Record, frozen=True, kw_only=True):
    """A line of the server's log, or of a plugin's."""

    group: Whole = 0
    seq: Whole = 0
    time: str = ""
    service: str = ""
    principal: str = ""
    level: str = ""
    file: str = ""
    line: Whole = 0
    message: str = ""
    data: list[Any] = []
    ignore_publish: bool = False
