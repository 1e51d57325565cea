from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.check_mode import is_in_place, looking_args, may_be_there, what_differs
from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.core.diffs import NOT_ASKED_FOR
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import mark_sensitive

from .conftest import FakeTask, carry_out


@pytest.mark.parametrize(
    ("diffs", "there"),
    [
        ([], True),
        ([{"before": "", "after": "text\n"}], False),
        ([{"before": "old\n", "after": "text\n"}], True),
        ([{"before": {"path": "/a", "state": "absent"}, "after": {"path": "/a", "state": "directory"}}], False),
        ([{"before": {"path": "/a", "mode": "0644"}, "after": {"path": "/a", "mode": "0600"}}], True),
        ([{"before": {}, "after": {"a": 1}}], False),
        ([{"prepared": "text"}], True),
        ([{"before": "", "after": "x"}, {"before": "y", "after": ""}], True),
    ],
)
def test_what_is_before_a_change_is_there_else_nobody_knows(diffs: list[dict[str, Any]], there: bool) -> None:
    assert may_be_there(Outcome(ok=True, changed=True, diff=diffs)) is there
    assert not may_be_there(Outcome(ok=False, diff=diffs)), "a check that fails means that it is not there"


@pytest.mark.parametrize(
    ("task", "in_place"),
    [
        ({"action": "ansible.builtin.copy"}, True),
        ({"action": "copy", "changed": True}, False),
        ({"action": "copy", "status": "skipped"}, False),
        ({"action": "ansible.builtin.stat"}, False),
        ({"action": "ansible.builtin.command", "unseen": True}, False),
    ],
)
def test_a_task_without_a_change_found_something_in_place(task: dict[str, Any], in_place: bool) -> None:
    assert is_in_place({"status": "ok", **task}) is in_place


def test_a_check_looks_for_what_a_module_leaves() -> None:
    touched = looking_args("ansible.builtin.file", {"path": "/a", "state": "touch"}, {})
    assert touched == {"path": "/a", "state": "touch", "access_time": "preserve", "modification_time": "preserve"}
    assert looking_args("service", {"name": "web", "state": "restarted"}, {}) == {"name": "web", "state": "started"}
    user = {"name": "joe", "groups": "a", "shell": "/bin/sh"}
    assert looking_args("user", user, {"groups": None, "append": True}) == {
        "name": "joe",
        "append": True,
        "shell": "/bin/sh",
    }


FOUND = {"shell": "/bin/sh", "group": 100, "comment": "", "password": "NOT_LOGGING_PASSWORD", "state": "present"}


@pytest.mark.parametrize(
    ("args", "diff", "told"),
    [
        ({"shell": "/bin/bash", "comment": "App"}, [], ": shell is /bin/sh, comment is "),
        ({"shell": mark_sensitive("/bin/bash")}, [], ": shell"),
        ({"shell": "/bin/sh", "group": "users", "password": "$6$x", "state": "absent", "append": True}, [], ""),
        ({}, [{"before": {"path": "/a", "mode": "0644"}, "after": {"path": "/a", "mode": "0600"}}], ": mode"),
        ({"shell": "/bin/bash"}, [{"before": "a", "after": "b"}], ""),
    ],
)
def test_which_attributes_would_change_is_told_as_far_as_the_module_says(args: Any, diff: Any, told: str) -> None:
    assert what_differs(args, Outcome(ok=True, changed=True, result=FOUND, diff=diff)) == told


@pytest.mark.parametrize(("diff", "shown"), [(False, NOT_ASKED_FOR), (True, "password=x")])
def test_a_check_shows_what_would_change_and_only_who_asks_sees_what_may_be_secret(
    task: Callable[..., FakeTask], tmp_path: Path, diff: bool, shown: str
) -> None:
    secret, plain = {"before": "", "after": "password=x"}, {"before": "a\n", "after": "b\n"}
    copy = {"primary": "ansible.builtin.copy", "check_mode": True}
    given = {"dest": "/srv/a", "content": "b"}
    outcome = Outcome(ok=True, changed=True, result={"diff": [secret, plain]}, diff=[secret, plain])
    made = task(copy, inputs=given, name="check", diff=diff)
    result, (call,) = carry_out(ModuleConfigurator("ansible.builtin.copy"), made, outcome)
    assert call.diff and result.outcome is not None
    assert [one["after"] for one in result.outcome.diff] == [shown, "b\n"]
    assert result.outcome.result["diff"] == result.outcome.diff
    (tmp_path / "some.yml").write_text("[]")
    made = task({"primary": "some.yml", "check_mode": True}, name="check", diff=diff)
    _result, (play,) = carry_out(PlayConfigurator("tasks", str(tmp_path / "some.yml")), made, Outcome(ok=True))
    assert (play.diff, play.discreet) == (True, not diff)
    for other in ({"name": "configure"}, {"name": "configure", "check": True}):
        _result, (call,) = carry_out(
            ModuleConfigurator("ansible.builtin.copy"),
            task("ansible.builtin.copy", inputs=given, **other),
            Outcome(ok=True, diff=[secret]),
        )
        assert not call.diff
