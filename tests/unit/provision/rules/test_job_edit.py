"""Changes of jobs, and what they do to machines; results of actions that the server ran."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.codec import from_plain, plain
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.rules.job_edit import action_ended, edited_job, without_machine
from tests.unit.provision.rules.world import JOB, NOW, assert_has, assert_refused, job_of, machine_of, shelf, table

CONTENT, CASES = table("job_edit")


def _machine(fields, job):
    usual = {"Tasks": ["t1", "t2"], "CurrentTask": job.current_index, "CurrentJob": job.uuid}
    return None if fields is None else machine_of({**usual, **fields})


@pytest.mark.parametrize("case", CASES)
def test_edited_job(case):
    before = job_of(case["job"])
    machine = _machine(case.get("machine", {}), before)
    asked = from_plain(Job, {**plain(before), **case["asked"]})
    edit = assert_refused(case.get("refused"), lambda: edited_job(before, asked, machine, shelf(CONTENT), NOW))
    if edit is None:
        return
    assert_has(edit.job, case.get("after", {}))
    assert_has(edit.machine, case.get("machine_after", {} if machine else None))


def _after_action(machine, **result):
    job = job_of({"State": "created", "Task": "action:power"})
    fields = {"Tasks": ["action:power", "t1"], "CurrentTask": 0, "CurrentJob": JOB, **machine}
    return action_ended(machine_of(fields), job, catalog=shelf(CONTENT), now=NOW, **result)


def test_an_action_that_succeeds_answers_with_its_finished_job_and_logs_its_result():
    decision = _after_action({}, output='{"a": 1}', succeeded=True)
    assert decision.status == 201
    assert decision.job == decision.previous
    assert_has(decision.job, {"State": "finished", "ExitState": "complete", "EndTime": "2024-05-01T12:00:00Z"})
    assert decision.log == ("Results from plugin invoke:", '{"a": 1}', "End of results")
    assert_has(decision.machine, {"Runnable": True, "CurrentTask": 0})


def test_an_action_that_fails_answers_with_nothing_and_logs_why():
    decision = _after_action({}, output="no such action", succeeded=False)
    assert (decision.status, decision.job, decision.log) == (204, None, ("no such action",))
    assert_has(decision.previous, {"State": "failed", "ExitState": "failed"})
    assert_has(decision.machine, {"Runnable": False, "CurrentTask": 0})


def test_an_action_is_a_step_of_a_machine_that_is_stepped_singly():
    decision = _after_action({"Params": {"task-single-step": True}}, output="", succeeded=True)
    assert_has(decision.machine, {"Runnable": False})


def test_an_action_is_retried_like_a_task():
    decision = _after_action({"Params": {"task-retry": {"action:power": 1}}}, output="", succeeded=False)
    assert_has(decision.previous, {"Meta": {"retry-at": "2024-05-01T12:00:02Z"}})


def test_the_job_of_a_deleted_machine_stays_and_is_not_current():
    assert_has(without_machine(job_of({"State": "finished"})), {"State": "finished", "Current": False})
    assert without_machine(None) is None
