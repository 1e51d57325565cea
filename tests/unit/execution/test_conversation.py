from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import CHANNEL, Command
from ansible_ensemble.execution.conversation import converse
from ansible_ensemble.execution.process import run_command

ASK = f"""
import json, os, socket, sys
channel = socket.socket(socket.AF_UNIX)
channel.connect(os.environ["{CHANNEL}"])
file = channel.makefile("rw")
for question in json.loads(sys.argv[1]):
    print(json.dumps(question), file=file, flush=True)
    print(file.readline().strip(), flush=True)
"""


def ask(questions: str) -> Command:
    return Command((sys.executable, "-c", ASK, questions))


async def double(question: Any) -> Any:
    return question * 2


def test_questions_and_answers() -> None:
    outcome = asyncio.run(converse(ask('[1, "a", [2]]'), double, run_command))
    assert outcome.ok
    assert outcome.stdout.splitlines() == ["2", '"aa"', "[2, 2]"]


def test_a_long_question() -> None:
    async def length(question: Any) -> Any:
        return len(question)

    program = ASK.replace("json.loads(sys.argv[1])", "['x' * 3_000_000]")
    outcome = asyncio.run(converse(Command((sys.executable, "-c", program)), length, run_command))
    assert outcome.stdout == "3000000\n"


def test_a_command_need_not_ask() -> None:
    outcome = asyncio.run(converse(Command(("true",)), double, run_command))
    assert outcome.ok


def test_an_answer_that_fails_hangs_up() -> None:
    async def fail(question: Any) -> Any:
        raise LookupError("no answer")

    with pytest.raises(LookupError, match="no answer"):
        asyncio.run(converse(ask("[1]"), fail, run_command))


def test_a_question_that_is_no_json_hangs_up() -> None:
    program = ASK.replace("json.dumps(question)", "'nothing'")
    with pytest.raises(ValueError, match="Expecting value"):
        asyncio.run(converse(Command((sys.executable, "-c", program, "[1]")), double, run_command))


def test_a_command_may_end_with_an_answer_unread() -> None:
    """Closing a socket that has unread data resets the connection."""
    program = ASK.replace("print(file.readline().strip(), flush=True)", "channel.recv(1)")
    program = program.replace("print(json.dumps(question)", "print('[1, 2]'")
    outcome = asyncio.run(converse(Command((sys.executable, "-c", program, "[1]")), double, run_command))
    assert outcome.ok


def test_cancelling_ends_the_command_and_what_is_being_answered() -> None:
    async def scenario() -> tuple[bool, Path]:
        asked = asyncio.Event()
        channel: list[Path] = []
        ended = False

        async def never(question: Any) -> Any:
            nonlocal ended
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended = True

        async def run(command: Command) -> Any:
            channel.append(Path(command.environment[CHANNEL]))
            return await run_command(command)

        task = asyncio.create_task(converse(ask("[1]"), never, run))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ended, channel[0]

    ended, channel = asyncio.run(scenario())
    assert ended
    assert not channel.parent.exists()
