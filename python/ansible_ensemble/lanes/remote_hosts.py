"""The client side of the hub: runs of modules, commands and small files by kept connections to hosts."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from ansible_ensemble.execution.output import BoundedOutput
from ansible_ensemble.lanes.module_files import SoughtModule
from ansible_ensemble.lanes.remote_wire import Unpacker, pack
from ansible_ensemble.lanes.returned import ReturnedJson
from ansible_ensemble.lanes.zygote import ModuleRun

#: How often a connection is opened anew because what it found on the host has changed.
_TRIES = 3


class NotHere(Exception):
    """The host has to be worked on in Ansible's own way; nothing was run on it."""


class Broken(Exception):
    """The connection broke while something ran."""


class Order(Struct, frozen=True):
    """What is to run on a host.

    Attributes:
        header, body: as the program on the host takes them.
        module: the module that it runs, or None.
    """

    header: dict[str, Any]
    body: bytes = b""
    module: SoughtModule | None = None


#: Opens a connection: descriptors of what writes to the host, of what reads from it, and of its errors.
Open = Callable[[], list[int]]


class RemoteHosts:
    """Kept connections, shared with the other executors by the hub.

    Args:
        control: where the hub takes the ends of conversations.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    def run(self, key: str, open_connection: Open, order: Order) -> ModuleRun:
        """Run something on a host by the connection of a key, and wait for it.

        What runs is killed if this call is left by an exception, as by the end of a task's time.

        Raises:
            NotHere: there is none, and none can be had; nothing was run.
            Broken: the connection broke after it had begun.
            Exception: what opening one raised.
        """
        for _turn in range(_TRIES):
            with self._conversation() as conversation:
                run = self._attempt(conversation, key, open_connection, order)
            if run is not None:
                return run
        raise NotHere("the host changes too often for a kept connection")

    def reset(self, prefix: str) -> None:
        """Have connections opened anew whose keys begin so, when what runs on them has ended."""
        with contextlib.suppress(NotHere, OSError), self._conversation() as conversation:
            conversation.send({"reset": prefix})
            conversation.receive()

    def find(self, name: str, find: Callable[[], Any]) -> Any:
        """What is found of a host, once for all executors; plain data.

        Raises:
            NotHere: the hub is gone.
            Exception: what `find` raised.
        """
        with self._conversation() as conversation:
            conversation.send({"find": name})
            found = conversation.receive()[0]["found"]
            if found is None:
                found = find()
                conversation.send({"found": found})
            return found

    def _attempt(self, conversation: _Conversation, key: str, open_connection: Open, order: Order) -> ModuleRun | None:
        """One attempt; None if the connection is to be opened anew."""
        module = order.module
        conversation.send({**order.header, "key": key, **({"source": module.source} if module else {})}, order.body)
        answer = conversation.receive()[0]
        if answer.get("state") == "open":
            # left by an exception, the hub lets the next one that waits open it
            conversation.send({"reason": self._open(key, open_connection)})
            answer = conversation.receive()[0]
        if answer.get("state") == "lacking" and module:
            files = module.files()
            conversation.send(files.header, files.data)
            answer = conversation.receive()[0]
        if answer.get("state") == "none":
            raise NotHere(answer.get("reason") or "the connection cannot be kept")
        return _collect(conversation) if "begun" in answer else None

    def _open(self, key: str, open_connection: Open) -> str | None:
        """Open a connection and hand it over; why it cannot be kept, or None."""
        try:
            descriptors = open_connection()
        except NotHere as refusal:
            return str(refusal)
        try:
            with self._conversation(descriptors) as conversation:
                conversation.send({"key": key})
                reason: str | None = conversation.receive()[0]["reason"]
                return reason
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    @contextlib.contextmanager
    def _conversation(self, descriptors: list[int] | None = None) -> Iterator[_Conversation]:
        mine, theirs = socket.socketpair()
        with mine:
            try:
                socket.send_fds(self._control, [b"r"], [theirs.fileno(), *(descriptors or ())])
            except OSError:
                raise NotHere("the hub of kept connections is gone") from None
            finally:
                theirs.close()
            yield _Conversation(mine)


class _Conversation:
    """Frames to the hub and back."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unpacker = Unpacker()
        self._frames: list[tuple[dict[str, Any], bytes]] = []

    def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        with contextlib.suppress(OSError):  # then there is no answer either
            self._connection.sendall(pack(header, body))

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """The next frame.

        Raises:
            NotHere: the hub is gone.
        """
        while not self._frames:
            try:
                data = self._connection.recv(1 << 18)
            except ConnectionError:
                data = b""
            if not data:
                raise NotHere("the hub of kept connections is gone")
            self._frames += self._unpacker.add(data)
        return self._frames.pop(0)


def _collect(conversation: _Conversation) -> ModuleRun | None:
    """What a run prints and how it ends; None if it did not begin after all: the connection is to be opened anew."""
    stdout, stderr = ReturnedJson(), BoundedOutput()
    while True:
        try:
            header, body = conversation.receive()
        except NotHere as reason:
            raise Broken(str(reason)) from None
        if "stream" in header:
            (stdout if header["stream"] == 1 else stderr).add(body)
        elif "code" in header:
            return ModuleRun(header["code"], stdout.content(), stderr.content())
        elif "stale" in header:
            return None
        else:
            raise Broken(header.get("broken") or "it closed")
