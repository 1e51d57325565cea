from __future__ import annotations

import pytest

from ansible_ensemble.reports.progress import Progress

STARTED = {"event": "started", "key": "app:Standard.configure", "instance": "app", "operation": "Standard.configure"}
FINISHED = {**STARTED, "event": "finished", "ok": True, "changed": False, "seconds": 1.25}


def started(**more):
    return {**STARTED, **more}


def test_a_line_when_it_starts_and_one_when_it_ended():
    progress = Progress()
    assert progress.lines({"event": "job-started", "total": 12}, 0.0) == []
    assert progress.lines(started(), 0.0) == ["[ 1/12] app: configure ..."]
    assert progress.lines(FINISHED, 2.0) == ["[ 1/12] app: configure ok (1.2s)"]


def test_a_change_and_a_failure_say_so():
    progress = Progress(total=2)
    assert progress.lines(FINISHED | {"changed": True}, 0.0) == ["[1/2] app: configure changed (1.2s)"]
    failed = FINISHED | {"key": "app:Standard.start", "ok": False, "error": "exit code 3\nmore"}
    assert progress.lines(failed, 0.0) == ["[2/2] app: configure failed (1.2s): exit code 3"]


def test_what_a_dry_run_leaves_out_is_not_called_well():
    check = FINISHED | {"operation": "Install.check", "patches": [{"status": "error"}]}
    assert Progress(total=1).lines(check, 0.0) == ["[1/1] app: check found error (1.2s)"]
    left_out = check | {"patches": [{}], "basis": "not-run"}
    assert Progress(total=1).lines(left_out, 0.0) == ["[1/1] app: check not checked (1.2s)"]


def test_what_runs_long_is_named_ever_more_seldom():
    progress = Progress(total=1)
    progress.lines(started(), 0.0)
    told = [second for second in range(1, 61) if progress.tick(float(second))]
    assert told == [10, 20, 40]
    assert progress.tick(80.0) == ["[1/1] app: configure still running (80s)"]


def test_what_an_operation_tells_of_itself_while_it_runs():
    progress = Progress(total=3)
    told = {"event": "progressed", "key": STARTED["key"], "text": "2 of 7"}
    assert progress.lines(told, 0.0) == []
    progress.lines(started(), 0.0)
    assert progress.lines(told, 1.0) == ["[1/3] app: configure: 2 of 7"]
    assert progress.lines(told | {"key": f"{STARTED['key']}>db:Standard.create"}, 1.0) == [
        "[1/3] app: configure: 2 of 7"
    ]


def test_what_ended_is_not_named_again():
    progress = Progress(total=1)
    progress.lines(started(), 0.0)
    progress.lines(FINISHED, 1.0)
    assert progress.tick(100.0) == []


def test_blocked_and_skipped_by_their_keys_alone():
    progress = Progress(total=2)
    blocked = {"event": "blocked", "key": "app:db#0:Configure.add_target", "by": ["db:Standard.create"]}
    assert progress.lines(blocked, 0.0) == ["[1/2] app: add_target of db blocked: needs db: create"]
    skipped = {"event": "skipped", "key": "app:Standard.start", "reason": "unchanged"}
    assert progress.lines(skipped, 0.0) == ["[2/2] app: start skipped: unchanged"]


def test_an_operation_keeps_its_number_when_it_is_tried_again():
    progress = Progress(total=3)
    progress.lines(started(), 0.0)
    assert progress.lines(started(attempt=2), 1.0) == ["[1/3] app: configure ... (attempt 2)"]


def test_an_operation_that_failed_and_is_tried_again_counts_once():
    progress = Progress(total=2)
    progress.lines(started(), 0.0)
    assert progress.lines(FINISHED | {"ok": False}, 1.0) == ["[1/2] app: configure failed (1.2s)"]
    assert progress.lines(started(attempt=2), 2.0) == ["[1/2] app: configure ... (attempt 2)"]
    assert progress.lines(FINISHED, 3.0) == ["[1/2] app: configure ok (1.2s)"]
    assert progress.lines(started(key="app:Standard.start"), 4.0) == ["[2/2] app: configure ..."]


def test_what_is_tried_again_runs_since_its_last_attempt():
    progress = Progress(total=1)
    progress.lines(started(), 0.0)
    progress.lines(FINISHED | {"ok": False}, 1.0)
    progress.lines(started(attempt=2), 20.0)
    assert progress.tick(29.0) == []
    assert progress.tick(30.0) == ["[1/1] app: configure still running (10s)"]


def test_steps_that_run_nothing_are_not_told_unless_they_fail(document):
    plan = document("plan")
    plan["operations"][0]["implementation"] = ""
    key = plan["operations"][0]["key"]
    progress = Progress.of_plan(plan)
    assert progress.total == len(plan["operations"]) - 1
    assert progress.lines(started(key=key, instance="server", operation="Standard.create"), 0.0) == []
    assert progress.lines(FINISHED | {"key": key}, 0.0) == []
    [line] = progress.lines(FINISHED | {"key": key, "ok": False, "error": "no host"}, 0.0)
    assert line.endswith("failed (1.2s): no host")


def test_stopping_names_what_it_waits_for():
    progress = Progress(total=1)
    progress.lines(started(), 0.0)
    assert progress.lines({"event": "stopping", "signal": 2}, 1.0) == ["Stopping: waiting for app: configure"]


def chain(*keys, silent=()):
    """A plan of operations, each of which waits for the one before it."""
    operations = [
        {"key": key, "implementation": "" if key in silent else "x", "waits_for": [before] if before else []}
        for before, key in zip((None, *keys), keys, strict=False)
    ]
    return {"operations": operations}


def test_who_waits_for_what_runs_long_is_told_to_those_who_ask():
    keys = ["a:Standard.create", "a:Standard.start", "b:Standard.create", "c:Standard.create"]
    plan = chain(*keys, silent=[keys[1]])
    for verbosity, said in ((0, ""), (2, "; b: create waits for it")):
        progress = Progress.of_plan(plan, verbosity=verbosity)
        progress.lines(started(key=keys[0], instance="a", operation="Standard.create"), 0.0)
        assert progress.tick(10.0) == [f"[1/3] a: create still running (10s){said}"]
    many = {"operations": [plan["operations"][0], *({**plan["operations"][2], "key": f"d{n}:Standard.create",
            "waits_for": [keys[0]]} for n in range(7))]}  # fmt: skip
    progress = Progress.of_plan(many, verbosity=2)
    progress.lines(started(key=keys[0], instance="a", operation="Standard.create"), 0.0)
    progress.lines({"event": "blocked", "key": "d0:Standard.create"}, 0.0)
    [line] = progress.tick(10.0)
    assert line.endswith("; d1: create, d2: create, d3: create, d4: create, d5: create, 1 more wait for it")


def test_what_an_operation_waits_for_is_told_to_those_who_ask():
    waiting = {
        "event": "waiting",
        "key": "b:Standard.create",
        "for": ["a:Standard.create", "a.port", "a slot on x"],
    }
    assert Progress.of_plan(chain()).lines(waiting, 0.0) == []
    [line] = Progress.of_plan(chain(), verbosity=2).lines(waiting, 0.0)
    assert line == "b: create waits for a: create, a.port, a slot on x"


def test_a_lost_lock_is_a_reason_to_stop():
    progress = Progress(total=1)
    lost = {"event": "stopping", "reason": "the lock was lost"}
    assert progress.lines(lost, 1.0) == ["Stopping, the lock was lost"]
    progress.lines(started(), 0.0)
    assert progress.lines(lost, 1.0) == ["Stopping, the lock was lost; waiting for app: configure"]


def test_the_total_grows_with_operations_that_were_not_planned():
    progress = Progress(total=1)
    progress.lines(started(), 0.0)
    assert progress.lines(started(key="new:Standard.create", instance="new"), 0.0)[0].startswith("[2/2]")


@pytest.mark.parametrize(("verbosity", "where"), [(0, ""), (1, " on web1")])
def test_each_line_of_an_operation_names_its_host_to_those_who_ask(verbosity, where):
    progress = Progress.of_plan(chain(STARTED["key"]), verbosity=verbosity)
    begun = started(host="web1", attempt=1)
    assert progress.lines(begun, 0.0) == [f"[1/1] app: configure{where} ..."]
    told = {"event": "progressed", "key": STARTED["key"]}
    assert progress.lines(told | {"text": "2 of 7"}, 1.0) == [f"[1/1] app: configure{where}: 2 of 7"]
    task = "TASK [web : Write] ok: [web1]"
    assert progress.lines(told | {"text": task}, 1.0) == [f"[1/1] app: configure: {task}"], "it names it itself"
    assert progress.tick(10.0) == [f"[1/1] app: configure{where} still running (10s)"]
    assert progress.lines(begun | {"attempt": 2}, 1.0) == [f"[1/1] app: configure{where} ... (attempt 2)"]
    assert progress.lines(FINISHED | {"host": "web1"}, 2.0) == [f"[1/1] app: configure{where} ok (1.2s)"]
