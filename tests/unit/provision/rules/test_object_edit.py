"""Objects that are neither machines nor jobs, created and changed."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.content import Profile, Stage, Task
from ansible_ensemble.provision.rules.object_edit import created_object, edited_object
from tests.unit.provision.rules.world import assert_has, assert_refused, shelf

KNOWN = shelf({"params": {"size": {"Schema": {"type": "integer"}}}})


@pytest.mark.parametrize(
    ("meta", "flags"),
    [
        ({}, "sane-exit-codes"),
        ({"feature-flags": "a, b"}, "a,b,sane-exit-codes"),
        ({"feature-flags": "sane-exit-codes,a"}, "sane-exit-codes,a"),
        ({"feature-flags": "original-exit-codes"}, "original-exit-codes"),
    ],
)
def test_a_new_task_has_sane_exit_codes_unless_it_has_the_original_ones(meta, flags):
    assert_has(created_object(Task(name="tt", meta=meta), KNOWN), {"Meta": {"feature-flags": flags}})


def test_a_task_that_is_changed_keeps_the_flags_it_is_given():
    task = created_object(Task(name="tt"), KNOWN)
    assert_has(edited_object(task, task.replaced(meta={}), KNOWN), {"Meta": {}})


def test_agents_always_wait_for_tasks():
    stage = created_object(Stage(name="ss"), KNOWN)
    assert_has(stage, {"RunnerWait": True, "Meta": {}, "ReadOnly": False})
    assert_has(edited_object(stage, stage.replaced(runner_wait=False), KNOWN), {"RunnerWait": True})


def test_key_and_origin_of_an_object_stay():
    stage = Stage(name="ss", bundle="b", endpoint="e")
    asked = stage.replaced(name="other", bundle="", endpoint="", read_only=True, description="new")
    expected = {"Name": "ss", "Bundle": "b", "Endpoint": "e", "ReadOnly": False, "Description": "new"}
    assert_has(edited_object(stage, asked, KNOWN), expected)


def test_what_is_problemed_is_refused_and_what_lacks_something_is_not():
    assert_refused({"Code": 422, "Messages": ["x: Invalid Name `x`"]}, lambda: created_object(Stage(name="x"), KNOWN))
    expected = {"Available": False, "Validated": True, "Errors": ["Task absent does not exist"]}
    assert_has(created_object(Stage(name="ss", tasks=["absent"]), KNOWN), expected)


@pytest.mark.parametrize("kind", [Stage, Profile])
def test_a_param_that_is_set_fits(kind):
    wrong = {"Code": 422, "Messages": ["Key 'size': invalid val 'x': 'x' is not of type 'integer'"]}
    assert_refused(wrong, lambda: created_object(kind(name="nn", params={"size": "x"}), KNOWN))
    made = created_object(kind(name="nn", params={"size": 1}), KNOWN)
    assert_refused(wrong, lambda: edited_object(made, made.replaced(params={"size": "x"}), KNOWN))


def test_a_param_that_did_not_fit_before_may_stay():
    before = Profile(name="nn", params={"size": "x"})
    after = edited_object(before, before.replaced(description="new"), KNOWN)
    assert_has(after, {"Description": "new", "Available": False})
