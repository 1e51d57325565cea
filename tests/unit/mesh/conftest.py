"""A worker that listens while a test talks to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ansible_ensemble.mesh import worker

_Value = TypeVar("_Value")


class Working:
    """A worker's socket, and what it told who started it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.told: list[str] = []

    def during(self, talk: Callable[[], Awaitable[_Value]]) -> _Value:
        """What comes of a talk, while the worker listens; it is gone then."""

        async def main() -> _Value:
            listens = asyncio.Event()

            def tell(text: str) -> None:
                self.told.append(text)
                listens.set()

            serving = asyncio.create_task(worker.serve(self.path, "b", tell))
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


@pytest.fixture
def working(tmp_path: Path) -> Working:
    return Working(tmp_path / "s")
