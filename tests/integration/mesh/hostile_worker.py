"""A worker that has the key of its node and is hostile: `python hostile_worker.py SOCKET NODE KEY HEARD`.

It writes what it is told to the file HEARD, executes nothing, and answers in another way each time.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh.handshake import prove
from ansible_ensemble.mesh.hello import own_hello
from ansible_ensemble.mesh.signing import Seal, Signer, seal
from ansible_ensemble.mesh.wire import sealed_message

_OK = {"ok": True, "changed": True, "rc": 0}
_ENDINGS: list[Any] = [
    [1],
    {**_OK, "seconds": 1e999},
    {**_OK, "ok": False, "diff": [{"before": 1, "after": ["x"]}], "error": "\x1b[31m", "warnings": ["\udcff"]},
    {**_OK, "stdout": '{"x": 1', "looked_up": {"files": ["/etc/passwd", "../x", "\0"], "groups": ["["]}},
]


async def _main(path: str, node: str, key: str, heard: str) -> None:
    signer, count = Signer(Path(key)), 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        hello = own_hello(node)
        writer.write(frames.encode({"hello": to_builtins(hello)}))
        asked = await frames.read(reader) or {}
        if "share" not in asked:
            return
        proof, connection = prove(signer, hello, asked["share"])
        writer.write(frames.encode(to_builtins(proof)))
        sealing = Seal(connection.answers)
        while (message := await frames.read(reader)) is not None:
            if "told" not in message:
                continue
            told = json.loads(connection.heard(message["told"])[0])
            with Path(heard).open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")
            if told["type"] == "begin":
                for name in (f"thing{number}" for number in range(100)):
                    writer.write(
                        frames.encode(sealed_message(sealing, {"ended": seal(told["key"], name, _OK), "of": name}))
                    )
                ended = seal(told["key"], told["name"], _ENDINGS[count % len(_ENDINGS)])
                writer.write(frames.encode(sealed_message(sealing, {"ended": ended, "of": told["name"]})))
                count += 1

    async with await asyncio.start_unix_server(serve, path):
        print("listens", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
