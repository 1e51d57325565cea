"""What was there before a play is noted before it runs, and is not taken away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.configurators.protocol import Note, Progress, Result
from ansible_ensemble.configurators.there_before import unless_there_before
from ansible_ensemble.core.orders import BACKUPS, ModuleCall, Outcome, Play

NAMES = ("Take away: a", "Take away: b")
SETTINGS = {"primary": "/p/x.yml", "removal": {"tasks": "remove.yml"}}


def written(folder: Path, names: tuple[str, ...] = NAMES) -> None:
    tasks = [{"name": name, "file": {"path": "/a"}, "when": [unless_there_before(name)]} for name in names]
    (folder / "remove.yml").write_text(yaml.safe_dump(tasks))


def looked(
    *there: str, ok: bool = True, names: tuple[str, ...] = NAMES, unreachable: bool = False, **ended: str
) -> Outcome:
    statuses = {name: status for status, name in ended.items()}
    tasks = [{"name": name, "status": statuses.get(name, "ok"), "changed": name in there} for name in names]
    return Outcome(
        ok=ok, changed=bool(there), unreachable=unreachable, error="no", result={"stats": {}, "tasks": tasks}
    )


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
    result, (look, note, play, ended) = run(one, looked(NAMES[1]), Outcome(ok=True, changed=True))
    assert (look.source, look.check, look.quiet) == (str(tmp_path / "remove.yml"), True, True)
    assert (play.source, play.check, play.quiet) == ("/p/x.yml", False, False)
    assert note.made["removal"]["there"] == ended.made["removal"]["there"] == [NAMES[1]]
    assert result.success

    again = task(SETTINGS, name="configure", made=one.made, was_configured=True)
    assert len(run(again, Outcome(ok=True))[1]) == 1  # what it made meanwhile is not taken for a stranger's

    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=one.made)
    _result, (removing, told) = run(gone, Outcome(ok=True, changed=True))
    assert removing.variables == {"there_before": [NAMES[1]]}
    assert told == Progress("b: it was there before, and stays")


def test_what_is_new_in_it_is_looked_for(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(NAMES[0]), Outcome(ok=True))
    more = (*NAMES, "Take away: c")
    written(tmp_path, more)
    one.was_configured = True
    run(one, looked(*more, names=more), Outcome(ok=True))
    assert one.made["removal"]["there"] == [NAMES[0], "Take away: c"]


def test_what_a_condition_left_out_is_looked_for_before_it_is_made(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(skipped=NAMES[1]), Outcome(ok=True))
    gone = task(SETTINGS, name="delete", made=one.made)
    assert run(gone, Outcome(ok=True))[1][0].variables == {"there_before": [NAMES[1]]}, "nobody has looked for it"

    one.was_configured = True
    _result, orders = run(one, looked(NAMES[1], skipped=NAMES[0]), Outcome(ok=True))
    assert orders[0].variables == {"there_before": [NAMES[0]]}, "that was looked for"
    assert one.made["removal"]["there"] == [NAMES[1]]
    assert len(run(one, Outcome(ok=True))[1]) == 1


def test_what_one_task_could_not_see_stays(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(ignored=NAMES[0]), Outcome(ok=True))
    gone = task(SETTINGS, name="delete", made=one.made)
    _result, (removing, told) = run(gone, Outcome(ok=True))
    assert removing.variables == {"there_before": [NAMES[0]]}
    assert told == Progress("a: nobody could see whether it was there before, and it stays")


def test_what_nobody_could_see_is_not_taken_away(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(ok=False), Outcome(ok=True))
    gone = task(SETTINGS, name="delete", made=one.made)
    result, (told,) = run(gone)
    assert (result.success, result.modified) == (True, False)
    assert "not known" in told.text


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
    assert play.variables == {}


def saw(digest: str) -> Outcome:
    return Outcome(ok=True, changed=True, result={"stdout": f"/etc/motd\n/etc/motd\n{digest}\n///etc/motd"})


def replaced(backup: str) -> Outcome:
    kept = {"host": "localhost", "path": "/etc/motd", "backup": backup, "keywords": {"become": True}}
    return Outcome(ok=True, changed=True, result={"stats": {}, "tasks": [], BACKUPS: [kept]})


def test_the_first_backup_is_put_back_and_later_ones_go(task: Any, tmp_path: Path) -> None:
    written(tmp_path)
    one = task(SETTINGS, name="configure")
    run(one, looked(NAMES[0]), replaced("/etc/motd.1"), saw("digest 1"))
    one.was_configured = True
    run(one, replaced("/etc/motd.2"), saw("digest 2"))
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
    note = steps.send(looked(NAMES[0]))
    assert isinstance(note, Note)
    steps.close()
    again = task(SETTINGS, name="configure", made=note.made)
    run(again, replaced("/etc/motd.2"))
    gone = task({**SETTINGS, "primary": str(tmp_path / "remove.yml")}, name="delete", made=again.made)
    _result, orders = run(gone, Outcome(ok=True))
    assert any("/etc/motd stays as it is" in one.text for one in orders if isinstance(one, Progress))
