from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.engine.journal_entries import Blocked, Cancelled, Entry, JobFinished, Skipped
from ansible_ensemble.records.job_journal import Folded
from ansible_ensemble.records.report import job_report
from tests.unit.engine.entries import finished, job_finished, job_started, started

END = job_finished()


def report(*entries: Entry, end: JobFinished | None = None, damage: tuple[str, ...] = ()) -> dict[str, Any]:
    folded = Folded(job_started(), damage=list(damage))
    for entry in (*entries, *([end] if end else [])):
        folded.take(entry)
    return job_report(folded)


def run(key: str, ok: bool = True, reason: str = "add", **more: Any) -> list[Entry]:
    return [started(key, reason=Reason(reason)), finished(key, ok, **more)]


@pytest.mark.parametrize(
    ("events", "summary"),
    [
        ([], "no tasks"),
        (run("a:create"), "1 task (0 changed, 1 ok)"),
        ([*run("a:create", changed=True), *run("a:start", ok=False)], "2 tasks (1 changed, 1 ok, 1 error)"),
        (
            [*run("a:create", ok=False), Blocked(key="b:create", by=("a:create",))],
            "2 tasks (0 changed, 1 error, 1 blocked)",
        ),
        ([started("a:create")], "1 task (0 changed, 1 interrupted)"),
        ([started("a:create", implementation="")], "no tasks"),
        ([*run("a:create", implementation="")], "no tasks"),
        ([Cancelled(key="a:create", reason="stop")], "1 task (0 changed, 1 cancelled)"),
    ],
)
def test_the_summary_counts_what_ran(events: list[Entry], summary: str) -> None:
    assert report(*events, end=END)["job"]["summary"] == summary


@pytest.mark.parametrize(
    ("events", "done"),
    [
        (run("a:create"), {"add": 1}),
        ([*run("a:create"), *run("a:start")], {"add": 1}),
        ([*run("a:create"), *run("a:start", ok=False)], {}),
        ([*run("a:create"), started("a:start")], {}),
        ([*run("a:create"), Skipped(key="a:start", reason="nothing to do")], {"add": 1}),
        ([*run("a:create"), Blocked(key="a:start", by=("b:start",))], {}),
        (run("a:configure", reason="reconfigure", changed=True), {"change": 1}),
        (run("a:configure", reason="reconfigure", changed=None), {"change": 1}),
        (run("a:configure", reason="reconfigure"), {}),
        (run("a:delete", reason="prune", changed=True), {"destroy": 1}),
        (run("a:delete", reason="prune", changed=None), {"destroy": 1}),
        (run("a:delete", reason="prune"), {"destroy": 1}),
        (run("a:delete", reason="undeploy", implementation=""), {"forget": 1}),
        ([*run("a:stop", reason="prune"), *run("a:delete", reason="prune", implementation="")], {"forget": 1}),
        (
            [*run("a:delete", reason="replace", changed=True), *run("a:create", reason="replace")],
            {"add": 1, "destroy": 1},
        ),
        (run("a:check", reason="check"), {}),
    ],
)
def test_only_an_instance_that_came_through_is_done(events: list[Entry], done: dict[str, int]) -> None:
    assert report(*events, end=END)["summary"] == {"add": 0, "change": 0, "destroy": 0, "forget": 0, **done}


@pytest.mark.parametrize(
    ("of_link", "of_target", "done"),
    [
        ({"remove_target": "prune"}, {"delete": "prune"}, {"destroy": 1}),
        (
            {"remove_target": "replace", "add_target": "connect"},
            {"delete": "replace", "create": "replace"},
            {"add": 1, "change": 1, "destroy": 1},
        ),
        ({"add_target": "connect"}, {"create": "add"}, {"add": 1, "change": 1}),
        ({"target_changed": "reconfigure"}, {"configure": "reconfigure"}, {"change": 2}),
    ],
)
def test_a_link_that_is_taken_apart_or_made_does_not_destroy_or_add_its_source(
    of_link: dict[str, str], of_target: dict[str, str], done: dict[str, int]
) -> None:
    events = [
        event for name, reason in of_target.items() for event in run(f"target:{name}", reason=reason, changed=True)
    ]
    for name, reason in of_link.items():
        events += [replace(one, relationship="link#0") for one in run(f"source:{name}", reason=reason, changed=True)]
    assert report(*events, end=END)["summary"] == {"add": 0, "change": 0, "destroy": 0, "forget": 0, **done}


def test_a_killed_job_ends_with_its_last_event() -> None:
    told = report(*run("a:create"), started("b:create", time=13.0), Skipped(key="c:create", reason="x"))["job"]
    assert (told["success"], told["stopped"], told["seconds"]) == (False, "the job was killed", 3.0)


def test_a_job_lasts_to_its_end() -> None:
    assert report(*run("a:create"), end=END)["job"]["seconds"] == 4.0


def test_a_failure_comes_with_its_output() -> None:
    (task,) = report(*run("a:create", ok=False, error="it broke", result={"stdout": "out", "stderr": "err"}))["tasks"]
    assert (task["status"], task["error"], task["stdout"], task["stderr"]) == ("error", "it broke", "out", "err")


def test_a_success_comes_without_it_and_with_what_became_of_the_instance() -> None:
    patches = ({"name": "other", "status": "error"}, {"name": "a", "status": "ok", "state": "started"})
    (task,) = report(*run("a:create", patches=patches, result={"stdout": "out"}), end=END)["tasks"]
    assert (task["target_status"], task["target_state"]) == ("ok", "started")
    assert "stdout" not in task


def test_what_was_blocked_names_by_whom_and_what_was_skipped_why() -> None:
    blocked, skipped = report(
        Blocked(key="a:create", by=("b:create",)),
        Skipped(key="c:create", reason="not wanted"),
        end=END,
    )["tasks"]
    assert (blocked["instance"], blocked["blocked_by"], blocked["error"]) == ("a", ["b:create"], None)
    assert (skipped["status"], skipped["error"]) == ("skipped", "not wanted")


def test_drift_and_lost_parts_of_the_journal_are_told() -> None:
    drift = [{"name": "port", "recorded": 80, "live": 81}]
    told = report(started("a:check"), finished("a:check", drift=tuple(drift)), end=END, damage=("line 3 is damaged",))
    assert told["drift"] == [{"instance": "a", "changes": drift}]
    assert told["warnings"] == ["line 3 is damaged"]


def test_the_second_operation_of_a_name_is_named_like_the_first() -> None:
    made = report(Skipped(key="a:Standard.configure+", reason="the check found it gone"))
    assert [task["operation"] for task in made["tasks"]] == ["Standard.configure"]


def test_an_operation_tells_which_attributes_it_set_and_no_secret_of_them() -> None:
    secret = {"__ansible_vault": "$ANSIBLE_VAULT;1.1;AES256\n3161"}
    patches = (
        {"name": "a", "status": "ok", "attributes": {"url": "http://a", "key": secret, "users": [{"key": secret}]}},
        {"name": "b", "attributes": {"seen": None}},
        {"name": "c", "status": "ok"},
    )
    (task,) = report(*run("a:create", patches=patches), end=END)["tasks"]
    masked = {"url": "http://a", "key": "<<REDACTED>>", "users": [{"key": "<<REDACTED>>"}]}
    assert task["attributes"] == {"a": masked, "b": {"seen": None}}


def test_hosts_are_counted_as_in_the_recap_of_a_play() -> None:
    told = report(
        *run("a:create", host="web2", changed=True),
        *run("a:start", host="web2"),
        *run("b:create", ok=False, host="web2", changed=True),
        *run("c:create", ok=False, host="web1", result={"unreachable": True}),
        *run("d:create", host="localhost"),
        Skipped(key="e:create", reason="nothing to do"),
        end=END,
    )
    assert list(told["hosts"].items()) == [
        ("localhost", {"ok": 1, "changed": 0, "unreachable": 0, "failed": 0}),
        ("web1", {"ok": 0, "changed": 0, "unreachable": 1, "failed": 0}),
        ("web2", {"ok": 2, "changed": 1, "unreachable": 0, "failed": 1}),
    ]
    assert [task["host"] for task in told["tasks"]] == ["web2", "web2", "web2", "web1", "localhost", None]


def test_failures_that_a_play_ignored_are_counted_as_in_its_recap() -> None:
    tasks = [{"name": "a", "status": "ignored"}, {"name": "b", "status": "ok"}]
    returned = {"result": {"stats": {}, "facts": {}, "tasks": tasks}}
    told = report(
        *run("a:x", host="web1", result=returned), *run("b:x", host="web2", result={"result": {"tasks": tasks}})
    )
    assert told["hosts"]["web1"] == {"ok": 1, "changed": 0, "unreachable": 0, "failed": 0, "ignored": 1}
    assert "ignored" not in told["hosts"]["web2"], "tasks of a module are its own"
