"""What may not be deleted."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.content import BootEnv, Param, Profile, Stage, Task, Workflow
from ansible_ensemble.provision.rules.in_use import refuse_in_use, refuse_read_only, refuse_undeletable_job
from tests.unit.provision.rules.world import JOB, assert_refused, job_of, machine_of

IN_USE = {"Code": 409, "Type": "StillInUseError"}


@pytest.mark.parametrize(
    ("gone", "referrers", "preferences", "uses"),
    [
        (Stage(name="s1"), [], {}, None),
        (Stage(name="s1"), [machine_of({"Stage": "s1"})], {}, ["s1 is in use by machines m1"]),
        (Stage(name="s1"), [machine_of({"Stage": "s2"})], {}, None),
        (Stage(name="s1"), [machine_of({"Tasks": ["stage:s1"]})], {}, ["s1 is in use by machines m1"]),
        (Task(name="t1"), [machine_of({"Tasks": ["t1", "t1"]})], {}, ["t1 is in use by machines m1"]),
        (
            Task(name="t1"),
            [Stage(name="s1", tasks=["t1"]), Task(name="t2", prerequisites=["t1"])],
            {},
            ["t1 is in use by stages s1"],
        ),
        (Task(name="t1"), [Task(name="t2", prerequisites=["t1"])], {}, None),
        (Stage(name="s1"), [Workflow(name="wf", stages=["s1"])], {}, ["s1 is in use by workflows wf"]),
        (Stage(name="s1"), [], {"defaultStage": "s1"}, ["s1 is in use by preference defaultStage"]),
        (BootEnv(name="s1"), [], {"defaultStage": "s1"}, None),
        (
            BootEnv(name="b1"),
            [],
            {"defaultBootEnv": "b1", "unknownBootEnv": "b1"},
            ["b1 is in use by preference defaultBootEnv", "b1 is in use by preference unknownBootEnv"],
        ),
        (Workflow(name="wf"), [], {"defaultWorkflow": "wf"}, ["wf is in use by preference defaultWorkflow"]),
        (Param(name="p1"), [Profile(name="pp", params={"p1": 1})], {}, None),
    ],
)
def test_what_others_name_stays(gone, referrers, preferences, uses):
    expected = uses and {**IN_USE, "Model": gone.PREFIX, "Key": gone.key, "Messages": uses}
    assert_refused(expected, lambda: refuse_in_use(gone, referrers, preferences))


def test_what_is_read_only_stays():
    refuse_read_only(Stage(name="s1"), "DELETE")
    expected = {"Code": 403, "Type": "PATCH", "Model": "stages", "Messages": ["stages s1 is read-only"]}
    assert_refused(expected, lambda: refuse_read_only(Stage(name="s1", read_only=True), "PATCH"))


@pytest.mark.parametrize(
    ("state", "machine", "deletable"),
    [
        ("finished", {"CurrentJob": JOB}, True),
        ("failed", {"CurrentJob": JOB}, True),
        ("created", {"CurrentJob": JOB}, False),
        ("running", {"CurrentJob": JOB}, False),
        ("incomplete", {"CurrentJob": JOB}, False),
        ("running", {"CurrentJob": "another"}, True),
        ("running", None, True),
    ],
)
def test_a_job_that_may_still_run_stays(state, machine, deletable):
    expected = {"Code": 422, "Messages": [f"Jobs {JOB} is not in a deletable state: {state}"]}
    owner = None if machine is None else machine_of(machine)
    assert_refused(None if deletable else expected, lambda: refuse_undeletable_job(job_of({"State": state}), owner))
