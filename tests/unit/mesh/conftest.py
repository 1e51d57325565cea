"""A worker that listens while a test talks to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from msgspec import to_builtins

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh import worker
from ansible_ensemble.mesh.control import Stream
from ansible_ensemble.mesh.handshake import meet, prove
from ansible_ensemble.mesh.hello import own_hello
from ansible_ensemble.mesh.orders import Orders
from ansible_ensemble.mesh.signing import Connection, KnownKeys, Seal, Signer, kept_signer
from ansible_ensemble.mesh.wire import Wire, sealed_message

_Value = TypeVar("_Value")


class Working:
    """A worker's socket, and what it told who started it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.key = kept_signer(path.parent / "node")
        self.told: list[str] = []
        self.keys: KnownKeys | None = None

    def during(self, talk: Callable[[], Awaitable[_Value]]) -> _Value:
        """What comes of a talk, while the worker listens; it is gone then."""

        async def main() -> _Value:
            listens = asyncio.Event()

            def tell(text: str) -> None:
                self.told.append(text)
                listens.set()

            work = worker.Work(self.keys, Orders(self.path.parent / "kept", 2)) if self.keys else None
            serving = asyncio.create_task(worker.serve(self.path, "b", self.key, tell, work))
            waiting = asyncio.create_task(listens.wait())
            await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            try:
                if serving.done():
                    serving.result()
                return await talk()
            finally:
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)

        return asyncio.run(main())

    async def connected(self, *_arguments: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_unix_connection(self.path)


class Answers:
    """A stream on which a worker answers."""

    def __init__(self, writer: asyncio.StreamWriter, connection: Connection) -> None:
        self.writer = writer
        self.connection = connection
        self._seal = Seal(connection.answers)

    def say(self, message: dict[str, Any]) -> None:
        """Send a message as a worker does."""
        self.writer.write(frames.encode(sealed_message(self._seal, message)))


async def pass_for(node: str, key: Signer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Answers:
    """Do as the worker of a node does up to where it is told something."""
    hello = own_hello(node)
    writer.write(frames.encode({"hello": to_builtins(hello)}))
    asked = await frames.read(reader)
    assert asked is not None
    proof, connection = prove(key, hello, asked["share"])
    writer.write(frames.encode(to_builtins(proof)))
    return Answers(writer, connection)


async def met(stream: Stream, node: str = "b") -> Connection:
    """Meet a worker, over a stream that can be used as it likes afterwards."""
    return (await meet(Wire(stream), node)).connection


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the keys mine and yours, their public halves as .pub."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("mine", "yours"):
        key = Ed25519PrivateKey.generate()
        private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
        (folder / name).write_bytes(private)
        (folder / f"{name}.pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    return folder


@pytest.fixture
def working(tmp_path: Path) -> Working:
    return Working(tmp_path / "s")
