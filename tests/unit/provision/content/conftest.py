"""A server for packs, of which nothing stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_ensemble.provision.content.pack import Pack
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import built_ins, contents
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Transaction


class _Undone(Exception):
    """Rolls a transaction back."""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Pack], str]]:
    """What a server makes of a pack as it is written: `refuses`, `lacks` or `takes`; it forgets it then."""
    with asyncio.Runner() as runner:
        store = runner.run(open_store(Path(tmp_path_factory.mktemp("server")) / "store.db"))
        runner.run(store.transact(built_ins.bring, "tests"))

        def outcome(pack: Pack) -> str:
            sections: dict[str, dict[str, object]] = {}
            for entry in pack.entries:
                sections.setdefault(entry.section, {})[entry.key] = entry.value
            body, found = encode({"meta": pack.meta.value, "sections": sections}), []

            def load(tx: Transaction) -> None:
                found.append("lacks" if contents.create_content(tx, body).warnings else "takes")
                raise _Undone

            try:
                runner.run(store.transact(load, "tests"))
            except Refused:
                return "refuses"
            except _Undone:
                return found[0]
            raise AssertionError

        yield outcome
        runner.run(store.close())
