from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.lanes.task_reports import backups_of, line_of, mark_unseen, reason_of, summary_of, was_left_out

LABELLED = {"ansible_loop_var": "item", "item": {"name": "a"}, "_ansible_item_label": "a"}


@pytest.mark.parametrize(
    ("action", "status", "result", "line"),
    [
        ("copy", "ok", {"changed": True}, "TASK [t] changed: [h]"),
        ("copy", "ok", {"changed": False, "msg": "unsaid"}, "TASK [t] ok: [h]"),
        ("copy", "skipped", {}, "TASK [t] skipped: [h]"),
        ("copy", "ok", {"changed": True, "results": [{}, {}]}, "TASK [t] changed: [h] (2 items)"),
        ("copy", "failed", {"msg": "bad"}, "TASK [t] failed: [h] => bad"),
        ("copy", "ignored", {"msg": "bad", "changed": True}, "TASK [t] ignored: [h] => bad"),
        ("ansible.builtin.debug", "ok", {"msg": "hello"}, "TASK [t] ok: [h] => hello"),
        ("ansible.builtin.debug", "ok", {"msg": ["a", 1]}, 'TASK [t] ok: [h] => ["a", 1]'),
        ("ansible.builtin.debug", "ok", {"port": 80, "changed": False}, "TASK [t] ok: [h] => port: 80"),
        ("ansible.builtin.debug", "ok", {"port": 80, "warnings": []}, "TASK [t] ok: [h] => port: 80"),
        ("ansible.builtin.debug", "ok", {"censored": "it is hidden"}, "TASK [t] ok: [h] => it is hidden"),
        ("ansible.builtin.debug", "ok", {"results": [{**LABELLED, "msg": "x"}]}, "TASK [t] ok: [h] => (item=a) x"),
    ],
)
def test_line_of(action: str, status: str, result: dict[str, Any], line: str) -> None:
    task = {"name": "t", "host": "h", "action": action, "status": status, "result": result}
    assert line_of(task) == line


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/p/roles/web/tasks/main.yml:3", "TASK [t] (roles/web/tasks/main.yml:3): bad"),
        ("/elsewhere/main.yml:3", "TASK [t] (/elsewhere/main.yml:3): bad"),
        ("", "TASK [t]: bad"),
    ],
)
def test_a_failure_names_the_file_and_line_of_its_task(path: str, reason: str) -> None:
    assert reason_of([{"name": "t", "path": path, "result": {"msg": "bad"}}], False, "/p") == reason


LEFT_OUT = {"skipped": True, "msg": "Command would have run if not in check mode"}
UNMET = {"skipped": True, "skip_reason": "Conditional result was False"}


@pytest.mark.parametrize(
    ("result", "conditional", "left_out"),
    [
        ({"changed": False}, False, False),
        (LEFT_OUT, False, True),
        (LEFT_OUT, True, True),
        ({"skipped": True}, False, True),  # as `raw` does
        (UNMET, True, False),
        ({**UNMET, "false_condition": "size > 4"}, True, False),
        ({**UNMET, "false_condition": "not ansible_check_mode"}, True, True),
        ({"skipped": True, "msg": "skipped, since /srv/a exists"}, False, False),
        ({"results": [{"changed": False}, LEFT_OUT]}, False, True),
        ({"results": [{"changed": False}, UNMET], "skipped": True}, True, False),
        ({"skipped": True, "censored": "hidden"}, False, True),
        ({"skipped": True, "censored": "hidden"}, True, False),
    ],
)
def test_what_check_mode_leaves_out(result: dict[str, Any], conditional: bool, left_out: bool) -> None:
    assert was_left_out(result, conditional) is left_out


def test_a_summary_says_that_a_task_is_unseen_or_its_failure_dropped() -> None:
    task = {"name": "t", "action": "command", "path": "", "host": "h", "status": "skipped", "result": LEFT_OUT}
    assert summary_of({**task, "unseen": True})["unseen"] is True
    assert "unseen" not in summary_of({**task, "unseen": False})
    assert summary_of({**task, "dropped": True})["dropped"] is True


def test_backups_of_a_loop_are_told_in_their_order() -> None:
    names = [f"/etc/a.conf.{number}.2026-01-02@03:04:05~" for number in (1, 2)]
    results = [{"changed": True, "backup": name} for name in names]
    more = [{"changed": False, "backup": names[0]}, {"changed": True, "backup": True}, {"changed": True, "backup": ""}]
    assert backups_of({"results": [*results, *more]}) == [("/etc/a.conf", name) for name in names]
    assert backups_of({"changed": True, "backup_file": names[0]}) == [("/etc/a.conf", names[0])]


def task(name: str, status: str = "ok", *, changed: bool = False, **more: Any) -> dict[str, Any]:
    common = {"left_out": False, "unseen": False, "sets": [], "notifies": [], "answers_to": [], "host": "web1"}
    return {**common, "uuid": name, "name": name, "status": status, "result": {"changed": changed}, **more}


def unseen(*tasks: dict[str, Any], **reads: set[str]) -> list[str]:
    mark_unseen([*tasks], reads)
    return [one["name"] for one in tasks if one["unseen"]]


ASK = task("ask", "skipped", left_out=True, sets=["said"])


def test_what_rests_on_what_check_mode_leaves_out_is_not_seen() -> None:
    derived = task("derive", sets=["derived"])
    tasks = [ASK, derived, *(task(name, changed=True) for name in ("copy", "copy_derived", "other"))]
    reads = {"derive": {"said"}, "copy": {"said", "port"}, "copy_derived": {"derived"}, "other": {"port"}}
    assert unseen(*tasks, **reads) == ["copy", "copy_derived"]


def test_a_condition_on_it_that_is_not_met_is_not_seen() -> None:
    assert unseen(ASK, task("conditional", "skipped"), conditional={"said"}) == ["conditional"]


def test_what_is_registered_anew_is_known() -> None:
    assert unseen(ASK, task("look", sets=["said"]), task("copy", changed=True), copy={"said"}) == []


def test_other_hosts_have_values_of_their_own() -> None:
    assert unseen(ASK, task("copy", changed=True, host="web2"), copy={"said"}) == []


@pytest.mark.parametrize(("notifies", "expected"), [("reload", ["copy", "restart"]), ("restart", ["copy"])])
def test_a_handler_is_seen_if_a_task_is_that_notifies_it(notifies: str, expected: list[str]) -> None:
    copy, other = (task(name, changed=True) for name in ("copy", "other"))
    copy["notifies"], other["notifies"] = ["restart"], [notifies]
    restart = task("restart", changed=True, answers_to=["restart", "app : restart"])
    assert unseen(ASK, copy, other, restart, copy={"said"}) == expected
