"""What an operation of a machine and its job say to each other: the operation runs in a process of its own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from ansible_ensemble.configurators.api import Channel, TaskError


class Begin(Struct, frozen=True):
    """What the operation is.

    Attributes:
        operation: its name.
        check: whether this is a dry run.
        wanted: its inputs, but for those that are null.
        marked: names of the wanted params that are marked as sensitive.
        kept: attributes that earlier operations of the node left.
    """

    operation: str
    check: bool
    wanted: dict[str, Any]
    marked: list[str]
    kept: dict[str, Any]


class Ended(Struct):
    """How the operation ended.

    Attributes:
        success: whether it did what it is for.
        modified: whether it changed something; None if that is not known.
        status: of the node, if the operation found it.
        attributes: of the node, as they were found.
        diff: as Ansible's modules give it.
        predicted: whether all of this is what a dry run expects.
    """

    success: bool
    modified: bool | None = False
    status: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    diff: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None
    predicted: bool = False


class Talk:
    """The operation's side of the conversation."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def begin(self) -> Begin:
        """What is to be done."""
        return Begin(**self._channel.ask(ask="begin"))

    def tell(self, text: str) -> None:
        """Tell how far it is; a job that is no more need not know."""
        with suppress(TaskError, OSError):
            self._channel.ask(ask="progress", text=text)

    def hide(self, params: Iterable[str]) -> None:
        """Have the values of wanted params masked: they are secrets."""
        if names := sorted(params):
            self._channel.ask(ask="hide", names=names)

    def end(self, ended: Ended) -> None:
        """Tell how it ended."""
        with suppress(TaskError, OSError):
            self._channel.ask(ask="end", ended=asdict(ended))
