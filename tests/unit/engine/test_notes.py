"""What an operation notes of what it made is recorded without secrets."""

from __future__ import annotations

import asyncio
from typing import Any

from ansible_ensemble.core.sensitive import Redactor, is_sensitive, reveal
from ansible_ensemble.engine.execute import JobExecution
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status_document import write_instance

MADE = {"way": "state", "names": ["git+https://hidden-token@host/a", "plain"]}


def test_texts_with_a_known_secret_are_marked() -> None:
    marked = Redactor(["hidden-token"]).marked(MADE)
    assert reveal(marked) == MADE
    assert [is_sensitive(one) for one in marked["names"]] == [True, False]


def test_a_note_holds_no_secret_in_the_journal_and_in_the_status(job: Any) -> None:
    made = job()
    made.ensemble.redactor.add("hidden-token")
    task, written = made.task("app:Standard.create"), []

    class Sink:
        async def write(self, entry: Any) -> None:
            written.append(entry)

    execution = JobExecution.__new__(JobExecution)
    execution._ensemble, execution._sink = made.ensemble, Sink()  # type: ignore[assignment]
    asyncio.run(execution._note_made(task, MADE))
    instance: Instance = made.instances.by_name["app"]
    recorded = write_instance(instance, made.ensemble.codec.for_yaml)["made"]
    assert "hidden-token" not in str([written, recorded])
    assert "plain" in str(recorded)
    assert task.made == MADE
