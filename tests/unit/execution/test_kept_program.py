from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import Outcome, Request
from ansible_ensemble.execution.kept_program import KeptPrograms
from ansible_ensemble.execution.watchdog import Watchdog

#: Answers each request with its own process, or, asked to wait, once the request is not wanted any more.
PROGRAM = """
import json, os, socket, sys

def main():
    with socket.socket(fileno=sys.stdin.fileno()) as connection, connection.makefile("rwb") as file:
        for line in file:
            asked = json.loads(line)
            request = asked.get("request")
            if request == {"end": True}:
                return
            if request == {"wait": True}:
                continue
            answer = {"ok": request is not None, "changed": True, "result": {"process": os.getpid(), "got": request}}
            file.write(json.dumps({"number": asked["number"], "answer": answer}).encode() + b"\\n")
            file.flush()
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "kept_by_a_test.py").write_text(PROGRAM)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "kept_by_a_test"


def ask(*orders: Request) -> list[Outcome]:
    """The outcomes of orders, one after the other."""

    async def all_of_them() -> list[Outcome]:
        watchdog = Watchdog()
        programs = KeptPrograms(5.0, watchdog)
        try:
            return [await programs.ask(order) for order in orders]
        finally:
            await programs.close()
            watchdog.close()

    return asyncio.run(all_of_them())


def test_one_process_answers_all_and_ends_with_the_job(program: str) -> None:
    first, second = ask(Request(program, {"a": 1}), Request(program, {"b": [2]}))
    assert (first.ok, first.changed, first.result["got"], second.result["got"]) == (True, True, {"a": 1}, {"b": [2]})
    assert first.result["process"] == second.result["process"]
    with pytest.raises(ProcessLookupError):
        os.kill(first.result["process"], 0)


def test_a_request_that_takes_too_long_is_called_off_and_says_what_it_did(program: str) -> None:
    (outcome,) = ask(Request(program, {"wait": True}, timeout=0.01))
    assert (outcome.ok, outcome.timed_out, outcome.changed) == (False, True, True)
    assert outcome.error == "it took longer than 0.01 s and was ended"


def test_a_program_that_ends_is_started_again(program: str) -> None:
    failed, done = ask(Request(program, {"end": True}), Request(program, {}))
    assert (failed.ok, failed.error) == (False, "kept_by_a_test ended before it answered")
    assert done.ok


def test_what_is_cancelled_is_called_off(program: str) -> None:
    async def cancelled() -> Any:
        watchdog = Watchdog()
        programs = KeptPrograms(5.0, watchdog)
        try:
            waiting = asyncio.create_task(programs.ask(Request(program, {"wait": True})))
            await programs.ask(Request(program, {}))
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            return waiting.cancelled()
        finally:
            await programs.close()
            watchdog.close()

    assert asyncio.run(cancelled())
