"""The hub: a fork of the job that keeps the connections to hosts, and shares them among the executors.

An executor asks for a connection by its key, a digest of all that it is made with. The first one that asks opens it, by
Ansible's own connection plugin, and hands its descriptors over; others wait for it. Then each run of a module is a
conversation of its own: the executor's frames are numbered and go to the program on the host, and its answers come
back. When an executor closes its end, what it ran is killed. When no executor is left, the hub ends, and with it every
connection, and with these what runs on hosts.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import logging
import os
import re
import resource
import signal
import socket
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ansible_ensemble.core.parent import die_with_parent
from ansible_ensemble.lanes import processes, remote_main
from ansible_ensemble.lanes.remote_wire import Unpacker, pack

_LOG = logging.getLogger(__name__)
#: Started on a host by a shell: it reads how long the program is, and the program.
BOOT = "import sys,zlib;f=sys.stdin.buffer;exec(zlib.decompress(f.read(int(f.readline()))))"
_PROGRAM = ("remote_wire", "remote_folders", "zygote_main", "remote_main")
#: Runs in the boot's namespace.
_UNPACK = """
import sys, types
for name, text in {parts!r}:
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
module.main({oldest!r})
"""
#: Where ansible-core says which Python its modules need.
_PYTHON = re.compile(r"^_PY_MIN = \((\d+), (\d+)\)", re.MULTILINE)
#: Seconds that a host's Python may take until it answers.
_PATIENCE = 60
_CHUNK = 1 << 16


class Channel:
    """A connection to the program of one user on a host.

    Attributes:
        stale: whether no run may begin any more.
    """

    def __init__(self, out: asyncio.StreamWriter, answers: asyncio.StreamReader, errors: asyncio.StreamReader) -> None:
        self._out = out
        self._in = answers
        self._errors = errors
        self._unpacker = Unpacker()
        self._runs: dict[int, Client] = {}
        self._last = 0
        self._files: dict[str, str] = {}
        self._sets: set[str] = set()
        self._said = bytearray()
        self._tasks: list[asyncio.Task[None]] = []
        self.stale = False

    @classmethod
    async def over(cls, descriptors: list[int]) -> Channel:
        """A channel over what writes to a host, reads from it, and reads what its shell complains of."""
        loop = asyncio.get_running_loop()
        write, *read = descriptors
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(write, "wb", 0)
        )
        readers = []
        for descriptor in read:
            readers.append(asyncio.StreamReader(limit=1 << 22))
            answering = asyncio.StreamReaderProtocol(readers[-1])
            await loop.connect_read_pipe(lambda protocol=answering: protocol, os.fdopen(descriptor, "rb", 0))  # type: ignore[misc]
        return cls(asyncio.StreamWriter(transport, protocol, None, loop), *readers)

    async def start(self) -> str | None:
        """Start the program; why it did not, or None."""
        self._tasks.append(asyncio.create_task(self._listen()))
        program = program_text()
        self._out.write(b"%d\n%s" % (len(program), program))
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._in.readuntil(remote_main.HELLO)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            await asyncio.sleep(0)
            return f"its Python runs no program: {self._said.decode(errors='replace').strip() or 'it said nothing'}"
        except TimeoutError:
            return f"its Python did not answer within {_PATIENCE} s"
        self._tasks.append(asyncio.create_task(self._receive()))
        return None

    async def run(self, client: Client, header: dict[str, Any], body: bytes, files: Files | None) -> bool:
        """Begin what a client orders; False if a new channel has to be opened for it."""
        if self.stale or (files is not None and not self._agrees(files)):
            self.retire()
            return False
        self._last += 1
        client.number = self._last
        self._runs[client.number] = client
        if files is not None:
            self._supply(files)
            header = {
                **header,
                "module": files.module,
                "compile": [] if files.digest in self._sets else list(files.digests),
            }
            self._sets.add(files.digest)
        self._out.write(pack({**header, "id": client.number}, body))
        client.send({"begun": True})
        with contextlib.suppress(ConnectionError):
            await self._out.drain()
        return True

    def kill(self, number: int) -> None:
        """Kill what a client ran that is gone."""
        if self._runs.pop(number, None) is not None:
            self._out.write(pack({"kill": number}))
            self._close_if_done()

    def retire(self) -> None:
        """Begin nothing more, and close it when what runs has ended; folders that core has made there stay."""
        if not self.stale:
            self._out.write(pack({"leave": True}))
        self.stale = True
        self._close_if_done()

    def close(self) -> None:
        """Close it; what runs on the host ends."""
        self.stale = True
        self._out.transport.abort()
        for task in self._tasks:
            task.cancel()

    def _close_if_done(self) -> None:
        if self.stale and not self._runs:
            self.close()

    def _agrees(self, files: Files) -> bool:
        return all(self._files.get(name, digest) == digest for name, digest in files.digests.items())

    def _supply(self, files: Files) -> None:
        missing = tuple(name for name in files.digests if name not in self._files)
        if missing:
            self._files.update({name: files.digests[name] for name in missing})
            sizes = [[name, len(files.texts[name])] for name in missing]
            self._out.write(pack({"files": sizes}, files.compressed(missing)))

    async def _receive(self) -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            while data := await self._in.read(_CHUNK):
                for header, body in self._unpacker.add(data):
                    self._answer(header, body)
        self.stale = True
        runs, self._runs = self._runs, {}
        for client in runs.values():
            client.send({"broken": self._said.decode(errors="replace").strip()})
        self._out.transport.abort()

    def _answer(self, header: dict[str, Any], body: bytes) -> None:
        number = header.pop("id", None)
        client = self._runs.get(number)
        if "stale" in header:
            self.stale = True
        if "code" in header or "stale" in header:
            self._runs.pop(number, None)
            self._close_if_done()
        if client is not None:
            client.send(header, body)

    async def _listen(self) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await self._errors.read(_CHUNK):
                self._said += data
                del self._said[:-500]


class Files:
    """The files of a module, of which a host gets those that it lacks.

    Args:
        header, data: as `module_files.ModuleFiles` has them.
    """

    def __init__(self, header: dict[str, Any], data: bytes) -> None:
        self.module: str = header["module"]
        self.digest: str = header["digest"]
        self.digests: dict[str, str] = header["names"]
        self.texts: dict[str, bytes] = {}
        self._compressed: dict[tuple[str, ...], bytes] = {}
        position = 0
        for name, size in zip(self.digests, header["sizes"], strict=True):
            self.texts[name] = data[position : position + size]
            position += size

    def compressed(self, names: tuple[str, ...]) -> bytes:
        """Some of them for the wire; hosts that lack the same share it."""
        if names not in self._compressed:
            self._compressed[names] = zlib.compress(b"".join(self.texts[name] for name in names), 6)
        return self._compressed[names]


class Client:
    """An executor's conversation, about one run.

    Attributes:
        number: that of its run on the channel; zero before it.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._unpacker = Unpacker()
        self._frames: list[tuple[dict[str, Any], bytes]] = []
        self.number = 0

    @property
    def is_gone(self) -> bool:
        """Whether the executor closed its end."""
        return self._reader.at_eof()

    def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        """Send a frame."""
        self._writer.write(pack(header, body))

    async def receive(self) -> tuple[dict[str, Any], bytes]:
        """The executor's next frame; an empty one when it closed its end."""
        while not self._frames:
            data = b""
            with contextlib.suppress(ConnectionError):
                data = await self._reader.read(1 << 20)
            if not data:
                return {}, b""
            self._frames += self._unpacker.add(data)
        return self._frames.pop(0)

    def close(self) -> None:
        """Let the executor know that nothing more comes."""
        self._writer.close()


class Entry:
    """What is known of a key: its channel, or why there is none, how often it was not reached, and who waits for it."""

    def __init__(self) -> None:
        self.channel: Channel | None = None
        self.reason: str | None = None
        self.failures = 0
        self.lock = asyncio.Lock()


class Hub:
    """Keeps channels, by keys.

    Args:
        control: where executors send the ends of their conversations, and descriptors of what they opened.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._entries: dict[str, Entry] = {}
        self._files: dict[str, Files] = {}
        self._found: dict[str, Any] = {}
        self._making: dict[str, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._gone = asyncio.Event()

    async def serve(self) -> None:
        """Serve until no executor and no job is left."""
        asyncio.get_running_loop().add_reader(self._control, self._accept)
        await self._gone.wait()
        for entry in self._entries.values():
            if entry.channel:
                entry.channel.close()

    def _accept(self) -> None:
        mark, descriptors, _flags, _address = socket.recv_fds(self._control, 1, 4)
        if not mark:
            asyncio.get_running_loop().remove_reader(self._control)
            self._gone.set()
            return
        connection, *opened = descriptors
        task = asyncio.create_task(self._converse(socket.socket(fileno=connection), opened))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, connection: socket.socket, opened: list[int]) -> None:
        client = Client(*await asyncio.open_connection(sock=connection))
        try:
            header, body = await client.receive()
            if "reset" in header:
                self._reset(header["reset"])
            elif "find" in header:
                await self._find(client, header["find"])
            elif opened:
                await self._take_over(client, header["key"], opened)
            elif header:
                await self._serve(client, header.pop("key"), header, body)
        finally:
            client.close()

    async def _find(self, client: Client, name: str) -> None:
        """Tell what an executor has found of a host; the first that asks finds it, and the others wait for it once."""
        lock = self._making.setdefault(name, asyncio.Lock())
        if lock.locked():
            async with lock:
                client.send({"found": self._found.get(name)})
            return
        async with lock:
            client.send({"found": self._found.get(name)})
            if name not in self._found:
                header, _nothing = await client.receive()
                self._found.update({name: header["found"]} if header else {})

    def _reset(self, prefix: str) -> None:
        for key, entry in self._entries.items():
            if key.startswith(prefix) and entry.channel:
                entry.channel.retire()

    async def _take_over(self, client: Client, key: str, descriptors: list[int]) -> None:
        """Make a channel of what an executor opened."""
        channel = await Channel.over(descriptors)
        reason = await channel.start()
        if reason is None:
            self._entries[key].channel = channel
        else:
            channel.close()
        _LOG.debug("a connection to a host %s", f"is not kept: {reason}" if reason else "is kept")
        client.send({"reason": reason})

    async def _serve(self, client: Client, key: str, header: dict[str, Any], body: bytes) -> None:
        entry, reason = self._entries.setdefault(key, Entry()), None
        failures = entry.failures
        async with entry.lock:
            if entry.reason is None and (entry.channel is None or entry.channel.stale):
                entry.channel = None
                if failures == entry.failures:
                    client.send({"state": "open"})
                    opening, _nothing = await client.receive()
                    entry.failures += not opening
                    entry.reason = opening.get("reason")
                else:  # so that hosts that do not answer are not waited for again and again
                    reason = "it was not reached just now"
        if entry.channel is None:
            client.send({"state": "none", "reason": entry.reason or reason})
            return
        source = header.pop("source", None)
        if source is not None and not await self._know(client, source):
            return
        if client.is_gone:
            return
        if not await entry.channel.run(client, header, body, self._files[source] if source else None):
            client.send({"stale": True})
        while (await client.receive())[0]:
            pass
        if client.number:
            entry.channel.kill(client.number)

    async def _know(self, client: Client, source: str) -> bool:
        """Have the files of a module, from the first executor that needs it; False if it did not give them."""
        async with self._making.setdefault(source, asyncio.Lock()):
            if source not in self._files:
                client.send({"state": "lacking"})
                header, data = await client.receive()
                if not header:
                    return False
                self._files[source] = Files(header, data)
        return True


@functools.cache
def program_text() -> bytes:
    """The program for hosts, compressed."""
    folder = Path(__file__).parent
    package = __name__.rpartition(".")[0]
    parts = [(f"{package}.{name}", (folder / f"{name}.py").read_text()) for name in _PROGRAM]
    return zlib.compress(_UNPACK.format(parts=parts, oldest=_oldest_python()).encode(), 9)


def _oldest_python() -> tuple[int, int]:
    """The oldest Python that modules of this ansible-core run with on a host; the hub does not import it."""
    core = find_spec("ansible")
    home = Path(core.origin).parent if core is not None and core.origin else Path()
    found = _PYTHON.search((home / "module_utils" / "basic.py").read_text())
    return (int(found[1]), int(found[2])) if found else remote_main.OLDEST_PYTHON


def start(control: socket.socket, parent: int, inherited: list[int]) -> None:
    """Turn this forked child of the job into the hub, without the job's descriptors; never returns."""
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGALRM, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent(parent)
        for descriptor in inherited:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        processes.detach_stdio()
        allow_many_descriptors()
        gc.freeze()
        asyncio.run(serve(control))
    except BaseException:
        os._exit(1)
    os._exit(0)


def allow_many_descriptors() -> None:
    """Have room for three descriptors of each connection, up to the limit that this process may set itself."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def serve(control: socket.socket) -> None:
    """Serve executors on this socket."""
    await Hub(control).serve()
