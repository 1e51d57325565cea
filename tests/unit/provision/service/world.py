"""A store with what is built in, for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import pytest

from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import crud
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Reader, Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")


class World:
    """Runs functions on a store, each in a transaction of its own."""

    def __init__(self, runner: asyncio.Runner, store: Store) -> None:
        self._runner, self._store = runner, store
        self._events: list[Event] = []
        store.subscribe(self._events.extend)

    def write(self, function: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self._runner.run(self._store.transact(lambda tx: function(tx, *args, **kwargs), "user:tester"))

    def read(self, function: Callable[Concatenate[Reader, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self._runner.run(self._store.read(lambda reader: function(reader, *args, **kwargs)))

    def events(self) -> list[str]:
        """The events since the last call."""
        return [f"{event.type}.{event.action}.{event.key}" for event in self.whole_events()]

    def whole_events(self) -> list[Event]:
        events = [*self._events]
        self._events.clear()
        return events

    def create(self, prefix: str, /, *, force: bool = False, **fields: Any) -> Any:
        return self.write(crud.create, prefix, body(fields), force=force)

    def patch(self, prefix: str, name: str, *operations: dict[str, Any], force: bool = False) -> Any:
        return self.write(crud.patch, prefix, name, body(operations), force=force)

    def set(self, prefix: str, name: str, *, force: bool = False, **fields: Any) -> Any:
        operations = [{"op": "replace", "path": f"/{field}", "value": value} for field, value in fields.items()]
        return self.patch(prefix, name, *operations, force=force)

    def show(self, prefix: str, name: str) -> Any:
        return self.read(crud.show, prefix, name)

    def remove(self, prefix: str, name: str) -> Any:
        return self.write(crud.remove, prefix, name)


@contextmanager
def opened(folder: Path) -> Iterator[World]:
    """A world whose store is in a folder."""
    with asyncio.Runner() as runner:
        store = runner.run(open_store(folder / "store.db"))
        try:
            yield World(runner, store)
        finally:
            runner.run(store.close())


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


@contextmanager
def refusal(code: int, type: str, *messages: str, model: str | None = None, key: str | None = None) -> Iterator[None]:
    """What is refused in it, to the letter."""
    with pytest.raises(Refused) as refused:
        yield
    error = refused.value.error
    assert (error.code, error.type, error.messages) == (code, type, [*messages])
    assert model in (None, error.model)
    assert key in (None, error.key)


def workflow(world: World, tasks: Sequence[str] = ("task1",), stage: str = "stage1", name: str = "wf1") -> None:
    """A workflow of one stage, whose tasks have one script each."""
    for task in tasks:
        world.create("tasks", Name=task, Templates=[{"Name": "script", "Contents": "#!/bin/sh\n"}])
    world.create("stages", Name=stage, Tasks=[*tasks])
    world.create("workflows", Name=name, Stages=[stage])
