"""Jobs in folders that are thrown away are killed at random moments: what is known elsewhere is not done again."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.unit.state.conftest import bare, s3_bucket
from tests.unit.state.servers import PASSWORD, USER, state_server
from tests.unit.state.test_kills import deploy, in_a_process, make

ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "2"))


@contextmanager
def location(kind: str, folder: Path) -> Iterator[Mapping[str, str]]:
    match kind:
        case "http":
            with state_server() as server:
                yield {"http": server.url, "username": USER, "password": PASSWORD}
        case "s3":
            with s3_bucket() as values:
                yield {**values, "key": f"{folder.name}/state.json"}
        case "git":
            yield {"git": str(bare(folder / "store.git"))}
        case "path":
            yield {"path": str(folder / "store")}


@pytest.mark.parametrize("kind", ["path", "git", "http", "s3"])
@pytest.mark.parametrize("seed", range(max(1, ROUNDS // 10)))
def test_what_is_known_is_not_done_again(kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", str(tmp_path / "clone"))
    chance, world = random.Random(f"{kind} {seed}"), tmp_path / "world"
    world.mkdir()

    def attempt(seconds: float) -> int:
        def work() -> None:
            signal.setitimer(signal.ITIMER_REAL, seconds)  # whose signal ends the process wherever it is
            deploy(clone)

        clone = make(tmp_path / "clone", world, kind, values)
        try:
            return in_a_process(work)
        finally:
            shutil.rmtree(clone)

    with location(kind, tmp_path) as values:
        for _round in range(min(ROUNDS, 10)):
            attempt(chance.uniform(0.05, 2.0))
        assert attempt(0.0) == 0
    began = [line.split()[1] for line in (world / "log").read_text().splitlines() if line.startswith("begin")]
    assert began == sorted(began), "each begins once the location knows that the one before has ended"
    assert set(began) == {"n0", "n1", "n2"}
