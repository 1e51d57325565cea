"""What was there before a play is noted before it runs, and is not taken away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.configurators.protocol import Note, Progress, Result
from ansible_ensemble.core.orders import BACKUPS, REMOVALS, ModuleCall, Outcome, Play

NAMES = ("Take away: a", "Take away: b")
SETTINGS = {"primary": "/p/x.yml", "removal": {"tasks": "remove.yml"}}


def written(folder: Path, names: tuple[str, ...] = NAMES) -> None:
    tasks = [{"name": name, "file": {"path": "/a", "state": "absent"}} for name in names]
    (folder / "remove.yml").write_text(yaml.safe_dump(tasks))


def came_to(**ended: str) -> list[dict[str, Any]]:
    """Of things, by their keys, how they ended; the key `a2` is of a task named a."""
    return [{"name": f"Take away: {key[0]}", "key": key, **({how: True} if how else {})} for key, how in ended.items()]


def made(*names: str, ok: bool = True) -> Outcome:
    """A play of which the tasks of these names ran."""
    tasks = [{"name": name, "action": "copy", "status": "ok", "changed": True} for name in names]
    return Outcome(ok=ok, changed=True, error="no", result={"stats": {}, "tasks": tasks})


def looked(*, ok: bool = True, unreachable: bool = False, **ended: str) -> Outcome:
    result = {"stats": {}, "tasks": [], REMOVALS: came_to(**ended)}
    return Outcome(ok=ok, changed=False, unreachable=unreachable, error="no", result=result)


def run(one: Any, *outcomes: Outcome) -> tuple[Result, list[Any]]:
    """Drive an operation, which sees its own notes; returns its result and orders."""
    steps, left, orders = PlayConfigurator("tasks", "/p/x.yml").run(one), list(outcomes), []
    try:
        order = next(steps)
        while True:
            orders.append(order)
            if isinstance(order, Note):
                one.made = order.made
            order = steps.send(left.pop(0) if isinstance(order, (Play, ModuleCall)) else None)
    except StopIteration as stop:
        assert not left
        return stop.value, orders


def test_it_is_noted_before_the_play_runs_and_stays(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    result, (look, note, play, seen, ended) = run(one, looked(a="", b="changed"), made("a", "b"))
    assert (look.source, look.check, look.quiet) == (str(tmp_path / "remove.yml"), True, True)
    assert (look.removing.known, look.removing.only) == ((), None)
    assert (play.source, play.check, play.quiet, play.removing) == ("/p/x.yml", False, False, None)
    assert note.made["removal"]["there"] == ended.made["removal"]["there"] == {"b": "b"}
    assert ended.made["removal"]["ours"] == {"a": "a"}
    assert (note.made["removal"]["new"], "new" in seen.made["removal"]) == (["a"], False)
    assert result.success

    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=one.made)
    _result, (removing, told) = run(gone, looked(a="changed", b="left"))
    assert removing.removing.only == ("a",)
    assert told == Progress("b: it was there before, and stays")


def test_only_what_is_new_is_looked_at_again(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(a="changed", b=""), made("b"))
    one.was_configured = True
    _result, (look, *_rest) = run(one, looked(b2="changed", a2=""), made("a"))
    assert look.removing.known == ("a", "b"), "what it made meanwhile is not taken for a stranger's"
    assert one.made["removal"]["ours"] == {"b": "b", "a2": "a"}
    assert one.made["removal"]["there"] == {"a": "a", "b2": "b"}


@pytest.mark.parametrize(
    "noted, ended, told",
    [
        ({"a": "unseen"}, "left", "a: nobody could see whether it was there before, and it stays"),
        ({}, "left", "a: nobody has looked whether it was there before, and it stays"),
        ({"a": ""}, "changed", None),
        ({"a": "", "a2": ""}, "changed", "a: what it made with other values, or on other conditions, stays"),
    ],
)
def test_what_stays_is_told(task: Any, tmp_path: Path, noted: dict[str, str], ended: str, told: str | None) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(**noted), made("a"))
    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=one.made)
    _result, (removing, *lines) = run(gone, looked(a=ended))
    assert removing.removing.only == tuple(key for key, how in noted.items() if not how)
    assert lines == ([Progress(told)] if told else [])


def test_what_was_seen_before_a_look_failed_counts(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(ok=False, a=""), made("a"))
    assert one.made["removal"]["ours"] == {"a": "a"}


def test_what_was_not_made_is_looked_for_again(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    _result, orders = run(one, looked(a="", b=""), made("a", ok=False), looked(a="changed", b=""))
    again = [order for order in orders if isinstance(order, Play)][-1]
    assert (again.check, again.removing.known) == (True, ())
    assert one.made["removal"]["ours"] == {"a": "a"}, "somebody else may make the other one now"


def test_of_two_tasks_about_one_thing_that_which_saw_it_counts(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    seen = {REMOVALS: [{"name": "Take away: a", "key": "k"}, {"name": "Take away: b", "key": "k", "changed": True}]}
    run(one, Outcome(ok=True, result=seen), made("a", "b"))
    assert (one.made["removal"]["ours"], one.made["removal"]["there"]) == ({}, {"k": "b"})


def test_without_notes_nothing_is_taken_away(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", was_configured=True)
    result, (told,) = run(one)
    assert (result.success, result.modified) == (True, False)
    assert "not known" in told.text


def test_what_was_adopted_is_taken_away_if_that_is_wanted(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete")
    _result, (removing,) = run(one, Outcome(ok=True))
    assert removing.removing is None


def test_nothing_runs_where_nobody_can_look(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    result, (look,) = run(task(SETTINGS, name="configure"), looked(ok=False, unreachable=True))
    assert (look.check, result.success) == (True, False)


@pytest.mark.parametrize("kind", ["by hand", "before there were notes", "check mode", "no file"])
def test_nothing_is_looked_at(task: Any, tmp_path: Path, kind: str) -> None:
    written(tmp_path)
    if kind == "by hand":
        (tmp_path / "remove.yml").write_text("- file: {path: /a, state: absent}\n")
    elif kind == "no file":
        (tmp_path / "remove.yml").unlink()
    one = task(SETTINGS, name="configure", check=kind == "check mode", was_configured=kind.startswith("before"))
    _result, (play,) = run(one, Outcome(ok=True))
    assert play.source == "/p/x.yml"
    gone = task(SETTINGS, name="delete", made=one.made)
    _result, (play,) = run(gone, Outcome(ok=True))
    assert play.removing is None


def saw(digest: str) -> Outcome:
    return Outcome(ok=True, changed=True, result={"stdout": f"/etc/motd\n/etc/motd\n{digest}\n///etc/motd"})


def replaced(backup: str) -> Outcome:
    kept = {"host": "localhost", "path": "/etc/motd", "backup": backup, "keywords": {"become": True}}
    return Outcome(ok=True, changed=True, result={"stats": {}, "tasks": [], BACKUPS: [kept]})


def test_the_first_backup_is_put_back_and_later_ones_go(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(a="changed"), replaced("/etc/motd.1"), saw("digest 1"))
    one.was_configured = True
    run(one, looked(), replaced("/etc/motd.2"), saw("digest 2"))
    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=one.made)
    _result, orders = run(gone, saw("digest 2"), Outcome(ok=True), Outcome(ok=True), Outcome(ok=True))
    calls = [order for order in orders if isinstance(order, ModuleCall)]
    assert [call.args["argv"][0] for call in calls] == ["sh", "mv", "rm"]
    assert calls[1].args["argv"][-2:] == ["/etc/motd.1", "/etc/motd"]
    assert calls[2].args["argv"][-1] == "/etc/motd.2"
    assert all(call.keywords["become"] for call in calls)
    assert isinstance(orders[-2] if isinstance(orders[-1], Progress) else orders[-1], Play), "the tasks come after it"


def test_what_somebody_changed_since_is_not_replaced_by_a_backup(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(), replaced("/etc/motd.1"), saw("digest 1"))
    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=one.made)
    _result, orders = run(gone, saw("by hand"), Outcome(ok=True))
    assert [one.text for one in orders if isinstance(one, Progress)] == [
        "/etc/motd was changed since; what it was before is in /etc/motd.1"
    ]


def test_a_backup_after_a_run_that_was_cut_off_may_not_be_the_first(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    steps = PlayConfigurator("tasks", "/p/x.yml").run(one)
    next(steps)
    note = steps.send(looked(a="changed"))
    assert isinstance(note, Note)
    steps.close()
    again = task(SETTINGS, name="configure", made=note.made)
    run(again, looked(), replaced("/etc/motd.2"))
    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=again.made)
    _result, orders = run(gone, Outcome(ok=True))
    assert any("/etc/motd stays as it is" in one.text for one in orders if isinstance(one, Progress))
