from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.sensitive import SensitiveStr
from ansible_ensemble.instances.status import Status

from .conftest import carry_out


@pytest.mark.parametrize("kind", ["tasks", "role", "playbook"])
def test_inputs_are_variables(task: Any, kind: str) -> None:
    inputs = {"port": 80, "secret": SensitiveStr("s"), "arguments": {"more": 1, "port": 81}, "resultTemplate": None}
    written = {"primary": "x", "gather_facts": True, "remote_user": "web"}
    one = task(written, inputs=inputs, host=Host("web1"), check=True, diff=True, timeout=5.0)
    configurator = PlayConfigurator(kind, "/p/x.yml")
    _, (play,) = carry_out(configurator, one, Outcome(ok=True))
    assert (configurator.name, play.kind, play.source, play.host) == (kind, kind, "/p/x.yml", Host("web1"))
    assert play.variables == {"port": 81, "secret": "s", "more": 1}
    assert type(play.variables["secret"]) is str
    assert play.keywords == {"gather_facts": True, "remote_user": "web"}
    assert (play.check, play.diff, play.timeout, play.base) == (True, True, 5.0, str(one.base))


def test_facts_and_stats_are_outputs(task: Any) -> None:
    returned = {"facts": {"a": 1, "url": "f"}, "stats": {"url": "s"}, "tasks": []}
    one = task(outputs={"a": ["SELF", "a"]}, attributes=frozenset({"url"}))
    result, _ = carry_out(PlayConfigurator("tasks", "/t"), one, Outcome(ok=True, changed=True, result=returned))
    assert (result.outputs, result.attributes) == ({"a": 1}, {"url": "s"})


@pytest.mark.parametrize("changed", [True, False, None])
def test_failure_says_whether_it_changed_something(task: Any, changed: bool | None) -> None:
    result, _ = carry_out(PlayConfigurator("role", "r"), task(), Outcome(ok=False, changed=changed))
    assert (result.success, result.modified) == (False, changed)


TOLD = {
    "tasks": [
        {"name": "web : Settings", "action": "ansible.builtin.copy", "status": "ok", "changed": True},
        {"name": "web : Look", "action": "ansible.builtin.stat", "status": "ok", "changed": False},
    ]
}


@pytest.mark.parametrize(
    ("operation", "changed", "status", "error"),
    [
        ("check", True, Status.DRIFTED, "it would be changed by web : Settings"),
        ("check", False, None, None),
        ("discover", True, Status.DRIFTED, "it would be changed by web : Settings"),
        (
            "configure",
            True,
            None,
            "it would be changed by web : Settings: its check_mode keeps it from doing anything",
        ),
        ("configure", False, None, None),
    ],
)
def test_check_mode_finds_what_would_change_and_changes_nothing(
    task: Any, operation: str, changed: bool, status: Status | None, error: str | None
) -> None:
    one = task({"primary": "web", "check_mode": True}, name=operation)
    result, (play,) = carry_out(PlayConfigurator("role", "web"), one, Outcome(ok=True, changed=changed, result=TOLD))
    assert play.check
    assert (result.status, result.error) == (status, error)
    assert result.success is (operation != "configure" or not changed)
    assert (result.basis, result.modified) == (Basis.PREDICTED, False)


def test_a_check_shows_no_diff_of_what_would_stay(task: Any) -> None:
    one = task({"primary": "web", "check_mode": True}, name="check")
    left = {"before": {"state": "hard"}, "after": {"state": "file"}}
    for changed in (True, False):
        result, _ = carry_out(PlayConfigurator("role", "web"), one, Outcome(ok=True, changed=changed, diff=[left]))
        assert result.outcome is not None
        assert result.outcome.diff == ([left] if changed else [])


@pytest.mark.parametrize(
    ("check", "implementation", "basis"),
    [(False, {}, Basis.REAL), (True, {}, Basis.PREDICTED), (False, {"check_mode": True}, Basis.PREDICTED)],
)
def test_what_check_mode_returns_is_predicted(task: Any, check: bool, implementation: Any, basis: Basis) -> None:
    one = task({"primary": "web", **implementation}, check=check)
    result, _ = carry_out(PlayConfigurator("role", "web"), one, Outcome(ok=True, changed=False, result=TOLD))
    assert result.basis is basis


@pytest.mark.parametrize(("dropped", "status"), [(True, Status.DEGRADED), (False, None)])
def test_a_failure_that_is_ignored_and_of_which_nobody_asks_is_no_success(
    task: Any, dropped: bool, status: Any
) -> None:
    ignored = {"name": "Fetch", "action": "get_url", "status": "ignored", "msg": "no route", "dropped": dropped}
    outcome = Outcome(ok=True, changed=True, result={"tasks": [ignored]})
    result, _ = carry_out(PlayConfigurator("playbook"), task(inputs={"playbook": "a.yml"}), outcome)
    assert (result.success, result.status) == (True, status)
    assert result.error == ("failed, and was ignored: TASK [Fetch]: no route" if dropped else None)


def test_a_check_by_check_mode_that_fails_is_as_any_other_that_fails(task: Any) -> None:
    one = task({"primary": "web", "check_mode": True}, name="check")
    result, _ = carry_out(PlayConfigurator("role", "web"), one, Outcome(ok=False, changed=True, error="no"))
    assert (result.success, result.status, result.error) == (True, Status.ERROR, "no")


PING = {"ansible.builtin.ping": {}}
INLINE = {
    "a task": (PING, [{"hosts": "all", "gather_facts": False, "tasks": [PING]}]),
    "tasks": ([PING, PING], [{"hosts": "all", "gather_facts": False, "tasks": [PING, PING]}]),
    "plays": ([{"hosts": "web", "tasks": [PING]}], [{"hosts": "web", "tasks": [PING]}]),
}


@pytest.mark.parametrize("playbook,plays", INLINE.values(), ids=INLINE)
def test_inline_playbook(task: Any, playbook: Any, plays: list[Any]) -> None:
    one = task(inputs={"playbook": playbook, "port": 80})
    steps = PlayConfigurator("playbook").run(one)
    play = next(steps)
    file = Path(play.source)
    assert json.loads(file.read_text()) == plays
    assert (file.parent, file.stat().st_mode & 0o777) == (one.folder, 0o600)
    assert play.variables == {"port": 80}
    with pytest.raises(StopIteration):
        steps.send(Outcome(ok=True))
    assert not file.exists()


def test_an_inline_playbook_is_gone_after_an_order_that_was_cancelled(task: Any) -> None:
    steps = PlayConfigurator("playbook").run(task(inputs={"playbook": PING}))
    file = Path(next(steps).source)
    steps.close()
    assert not file.exists()


def test_what_a_play_shows_of_its_instance(task: Any) -> None:
    left_out = {"name": "Make", "action": "command", "status": "skipped", "changed": False, "unseen": True}
    in_place = {"name": "Copy", "action": "copy", "status": "ok", "changed": False}
    for tasks, there, unseen in (
        (TOLD["tasks"], False, []),
        ([*TOLD["tasks"], left_out], False, ["Make (command)"]),
        ([*TOLD["tasks"], in_place], True, []),
    ):
        outcome = Outcome(ok=True, result={"tasks": tasks}, diff=[{"before": "", "after": "text"}])
        result, _ = carry_out(PlayConfigurator("role", "r"), task(), outcome)
        assert (result.there, result.unseen) == (there, unseen)


@pytest.mark.parametrize(
    ("tasks", "basis", "status"),
    [
        ([{"changed": True, "unseen": True}], Basis.NOT_RUN, None),
        ([{"status": "skipped", "unseen": True}], Basis.NOT_RUN, None),
        ([{"changed": True, "unseen": True}, {}], Basis.PREDICTED, None),
        ([{"changed": True, "unseen": True}, {"changed": True}], Basis.PREDICTED, Status.DRIFTED),
        ([], Basis.PREDICTED, None),
    ],
)
def test_tasks_that_check_mode_does_not_show_are_no_drift(
    task: Any, tasks: list[dict[str, Any]], basis: Basis, status: Status | None
) -> None:
    told = [{"name": "Make", "action": "ansible.builtin.command", "status": "ok", **one} for one in tasks]
    outcome = Outcome(ok=True, changed=any(one.get("changed") for one in tasks), result={"tasks": told})
    one = task({"primary": "web", "check_mode": True}, name="check")
    result, _ = carry_out(PlayConfigurator("role", "web"), one, outcome)
    assert (result.basis, result.status) == (basis, status)


@pytest.mark.parametrize(
    ("before", "basis", "status", "error"),
    [
        ({"status": "ok"}, Basis.PREDICTED, Status.ERROR, "TASK [Assert]: no"),
        (
            {"status": "ok", "changed": True},
            Basis.PREDICTED,
            Status.DRIFTED,
            "it would be changed by Make; TASK [Assert]: no",
        ),
        (
            {"status": "skipped", "left_out": True},
            Basis.NOT_RUN,
            None,
            "check mode leaves out Make, and fails after it: TASK [Assert]: no",
        ),
    ],
)
def test_a_failure_after_tasks_that_check_mode_does_not_run_is_no_error(
    task: Any, before: dict[str, Any], basis: Basis, status: Status | None, error: str
) -> None:
    failed = {"name": "Assert", "action": "ansible.builtin.assert", "status": "failed"}
    told = [{"name": "Make", "action": "ansible.builtin.command", **before}, failed]
    outcome = Outcome(ok=False, error="TASK [Assert]: no", result={"tasks": told})
    one = task({"primary": "web", "check_mode": True}, name="check")
    result, _ = carry_out(PlayConfigurator("role", "web"), one, outcome)
    assert (result.success, result.basis, result.status, result.error) == (True, basis, status, error)


def test_playbook_by_its_file(task: Any) -> None:
    one = task(inputs={"playbook": "site.yml"})
    _, (play,) = carry_out(PlayConfigurator("playbook"), one, Outcome(ok=True))
    assert play.source == str(one.base / "site.yml")


@pytest.mark.parametrize(
    "inputs,words",
    [
        ({}, "no playbook to run"),
        ({"playbook": []}, "no playbook to run"),
        ({"playbook": [1]}, "must hold maps"),
        ({"playbook": "x.yml", "arguments": ["a"]}, "arguments must be a map"),
    ],
)
def test_bad_inputs(task: Any, inputs: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        carry_out(PlayConfigurator("playbook"), task(inputs=inputs), Outcome(ok=True))


def test_it_can_always_be_tried_in_check_mode(task: Any) -> None:
    assert PlayConfigurator("role", "r").can_dry_run(task())


@pytest.mark.parametrize(
    ("text", "inputs", "variables"),
    [
        ("- debug: {msg: hello}", {}, {}),
        ("- debug: {msg: '{{ SELF.port }}'}", {}, {"SELF": {"port": 1}}),
        ("- debug: {msg: '{{ SELF }}'}", {}, {"SELF": {"port": 1, "secret": "s"}}),
        ("- debug: {msg: '{{ SELF.gone | default(2) }}'}", {}, {"SELF": {}}),
        ("- debug: {msg: '{{ HOST.port }}'}", {}, {}),
        ("- debug: {msg: '{{ SELF.port }}'}", {"SELF": "mine"}, {"SELF": "mine"}),
    ],
    ids=["not named", "a member", "the whole", "not known", "means nothing", "an input of that name"],
)
def test_parts_of_the_model_that_the_file_names_are_variables(
    task: Any, tmp_path: Path, text: str, inputs: Any, variables: Any
) -> None:
    (tmp_path / "t.yml").write_text(text)
    one = task(inputs=inputs, parts={"SELF": {"port": 1, "secret": SensitiveStr("s")}})
    _, (play,) = carry_out(PlayConfigurator("tasks", str(tmp_path / "t.yml")), one, Outcome(ok=True))
    assert play.variables == variables
