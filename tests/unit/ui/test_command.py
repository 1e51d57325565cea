"""Answers of commands, shared by those who look."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.ui.command import Answers, CommandFailed, failure

ENSEMBLE = Path("/srv/web/ensemble.yaml")


class World:
    """What commands would say, and how often they were asked."""

    def __init__(self) -> None:
        self.files = self.now = self.asked = 0
        self.failing = False

    async def _ask(self, words: Sequence[str]) -> Any:
        self.asked += 1
        await asyncio.sleep(0)
        if self.failing:
            raise failure(3, "Error: it is wrong\n")
        return {"words": list(words), "files": self.files}

    def answers(self) -> Answers:
        return Answers(self._ask, lambda _ensemble: self.files, lambda: self.now)


@pytest.fixture
def world() -> World:
    return World()


def test_all_who_look_at_once_share_an_answer(world: World) -> None:
    async def look() -> list[Any]:
        answers = world.answers()
        return await asyncio.gather(*(answers.get(["status"], ENSEMBLE) for _viewer in range(200)))

    assert len({str(one) for one in asyncio.run(look())}) == world.asked == 1


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({}, 1),
        ({"files": 1}, 2),
        ({"now": 2}, 1),
        ({"now": 100}, 2),
    ],
    ids=["nothing changed", "its files changed", "a moment later", "much later, for files elsewhere may have changed"],
)
def test_an_answer_is_given_again_while_it_holds(world: World, change: dict[str, int], asked: int) -> None:
    async def look() -> Any:
        answers = world.answers()
        await answers.get(["status"], ENSEMBLE)
        vars(world).update(change)
        return await answers.get(["status"], ENSEMBLE)

    assert asyncio.run(look())["files"] == world.files
    assert world.asked == asked


def test_what_was_asked_before_a_change_is_no_answer_after_it(world: World) -> None:
    async def look() -> Any:
        answers = world.answers()
        before = asyncio.create_task(answers.get(["status"], ENSEMBLE))
        await asyncio.sleep(0)
        world.files = 1
        return await answers.get(["status"], ENSEMBLE), await before

    asyncio.run(look())
    assert world.asked == 2


def test_a_viewer_who_leaves_takes_the_answer_from_nobody(world: World) -> None:
    async def look() -> Any:
        answers = world.answers()
        gone = asyncio.create_task(answers.get(["status"], ENSEMBLE))
        stays = asyncio.create_task(answers.get(["status"], ENSEMBLE))
        await asyncio.sleep(0)
        gone.cancel()
        return await stays

    assert asyncio.run(look())["words"] == ["status"]


def test_a_failure_is_told_to_each_and_not_kept(world: World) -> None:
    async def look() -> Any:
        answers = world.answers()
        world.failing = True
        both = (answers.get(["status"], ENSEMBLE) for _viewer in range(2))
        failed = await asyncio.gather(*both, return_exceptions=True)
        world.failing = False
        return failed, await answers.get(["status"], ENSEMBLE)

    failed, then = asyncio.run(look())
    assert [(one.exit_code, one.errors[0]["text"]) for one in failed if isinstance(one, CommandFailed)] == [
        (3, "it is wrong")
    ] * 2
    assert then["words"] == ["status"]
