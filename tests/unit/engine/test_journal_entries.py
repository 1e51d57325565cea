"""The entries of a journal: what stands on disk, and what is refused when it is read again."""

from __future__ import annotations

import json
from signal import Signals
from typing import Any

import pytest

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.journal_kinds import EntryKind
from ansible_ensemble.engine.journal_entries import (
    Blocked,
    Cancelled,
    Entry,
    JobStopping,
    Mended,
    Noted,
    OperationsPlanned,
    Progressed,
    Skipped,
    Waiting,
    read_entry,
)
from tests.unit.engine.entries import finished, job_finished, job_started, started

OPERATION = {
    "key": "a:create",
    "task": "T-a:create",
    "instance": "a",
    "operation": "create",
    "relationship": None,
    "reason": "add",
    "patches": [],
    "template": "a",
    "implementation": "sh",
}
FINISHED = {"event": "finished", **OPERATION, "time": 12.5, "ok": True, "changed": False, "error": None, "seconds": 1.5}
#: What is written of these even where there is nothing to say.
EMPTY = {"basis": "real", "reads": {}, "inputs": {}, "wrote": [], "outputs": {}}
START = {"event": "job-started", "job": "A6BKKsK50000", "workflow": "deploy", "ensemble": "ensemble.yaml"}
START |= {"options": {}, "base": {}, "summary": {}, "total": 0, "time": 10.0}
END = {"event": "job-finished", "ok": True, "counts": {}, "stopped": None, "signal": None, "lostLock": False}
END |= {"seconds": 4.0, "time": 14.0}

#: Each kind, as its type and as it stands on disk.
KINDS: list[tuple[Entry, dict[str, Any]]] = [
    (job_started(), START),
    (
        job_started(lock={}, commit="", dirty={"self": ["x"]}),
        START | {"lock": {}, "commit": "", "dirty": {"self": ["x"]}},
    ),
    (started("a:create"), {"event": "started", **OPERATION, "time": 11.0, "attempt": 1}),
    (
        started("a:create", optional=True, attempt=2, patches=({"name": "a", "state": "creating"},)),
        {"event": "started", **OPERATION, "time": 11.0, "attempt": 2, "optional": True}
        | {"patches": [{"name": "a", "state": "creating"}]},
    ),
    (finished("a:create"), FINISHED | EMPTY),
    (
        finished(
            "a:create", basis=Basis.PREDICTED, messages=("m",), lane="fast", host="h", wrote=("::a::x",), diff=({},)
        ),
        FINISHED
        | EMPTY
        | {"basis": "predicted", "messages": ["m"], "lane": "fast", "host": "h", "wrote": ["::a::x"], "diff": [{}]},
    ),
    (Progressed(key="a", text="t"), {"event": "progressed", "key": "a", "text": "t"}),
    (Skipped(key="a", reason="r"), {"event": "skipped", "key": "a", "reason": "r"}),
    (
        Skipped(key="a", reason="r", basis=Basis.PREDICTED),
        {"event": "skipped", "key": "a", "reason": "r", "basis": "predicted"},
    ),
    (Blocked(key="a", by=("b",)), {"event": "blocked", "key": "a", "by": ["b"], "optional": False}),
    (Cancelled(key="a", reason=None), {"event": "cancelled", "key": "a", "reason": None}),
    (Waiting(key="a", for_=("b",)), {"event": "waiting", "key": "a", "for": ["b"]}),
    (JobStopping(reason="r", running=("a",)), {"event": "stopping", "reason": "r", "running": ["a"]}),
    (JobStopping(signal=2, running=()), {"event": "stopping", "signal": 2, "running": []}),
    (
        OperationsPlanned(instances=("a",), operations=("a:create",)),
        {"event": "planned", "instances": ["a"], "operations": ["a:create"]},
    ),
    (
        Noted(key="a", patches=({"name": "a", "made": {"way": "files"}},)),
        {"event": "noted", "key": "a", "patches": [{"name": "a", "made": {"way": "files"}}]},
    ),
    (Mended(by="a", keys=("b",)), {"event": "mended", "by": "a", "keys": ["b"]}),
    (job_finished(), END),
    (
        job_finished(signal=Signals.SIGINT, stopped="s", lost_lock=True),
        END | {"signal": 2, "stopped": "s", "lostLock": True},
    ),
]


@pytest.mark.parametrize(("entry", "event"), KINDS, ids=lambda one: one["event"] if isinstance(one, dict) else "")
def test_an_entry_is_read_as_it_was_written(entry: Entry, event: dict[str, Any]) -> None:
    assert entry.to_json() == event
    assert read_entry({"seq": 7, "of a newer version": 1, **json.loads(json.dumps(event))}) == entry


def test_every_kind_but_the_journals_own_first_line_has_a_type() -> None:
    assert {event["event"] for _, event in KINDS} == {kind.value for kind in EntryKind} - {EntryKind.JOURNAL.value}


def test_what_a_former_version_left_out_is_filled_in() -> None:
    left_out = ("template", "implementation", "changed", "error", "seconds", "relationship")
    read = read_entry({key: value for key, value in FINISHED.items() if key not in left_out})
    assert read == finished("a:create", template=None, implementation=None, changed=None, seconds=None)


def test_an_entry_of_an_unknown_kind_tells_nothing() -> None:
    assert read_entry({"event": "of a newer version", "key": 7}) is None


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({"event": 7}, "it has no kind"),
        ({"event": "skipped", "key": "a"}, "it has no reason"),
        ({"event": "skipped", "key": "a", "reason": "r", "basis": "guessed"}, "basis is not one of real, predicted"),
        ({"event": "blocked", "key": "a", "by": "b"}, "by is not a list"),
        ({"event": "mended", "keys": [7]}, r"keys\[0\] is not a text"),
        (FINISHED | {"reason": None}, "reason is not one of add"),
        (FINISHED | {"ok": None}, "ok is not true or false"),
        (FINISHED | {"result": {"stdout": 7}}, "result.stdout is not a text"),
        (FINISHED | {"drift": [{}]}, r"drift\[0\] has no name"),
        (FINISHED | {"patches": [{"status": "ok"}]}, r"patches\[0\] has no name"),
        ({key: value for key, value in FINISHED.items() if key != "patches"}, "it has no patches"),
        (START | {"options": {"inputs": []}}, "options.inputs is not a map"),
        (START | {"process": {}}, "process has no Pid"),
        (END | {"signal": 999}, "signal is not one of"),
        ({"event": "new", "deep": json.loads("[" * 300 + "]" * 300)}, "it is nested too deep"),
    ],
)
def test_what_no_entry_is_like_is_refused(event: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_entry(event)


def test_an_operation_without_an_end_ended_with_an_outcome_that_is_unknown() -> None:
    begun = started("a:create", optional=True, attempt=3, patches=({"name": "a"},))
    ended = begun.interrupted()
    assert (ended.key, ended.task, ended.implementation, ended.optional) == ("a:create", "T-a:create", "sh", True)
    assert (ended.ok, ended.error, ended.own_patch) == (False, "interrupted", {"name": "a"})
