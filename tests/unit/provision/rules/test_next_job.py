"""The next job of a machine: each case is a sentence of docs/provision.md, "The next job"."""

from __future__ import annotations

import pytest
from msgspec.structs import asdict

from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.rules.next_job import JobRequest, job_request_machine, next_job
from tests.unit.provision.rules.world import (
    MACHINE,
    NOW,
    assert_has,
    assert_refused,
    job_of,
    machine_of,
    new_keys,
    shelf,
    table,
)

CONTENT, CASES = table("next_job")


@pytest.mark.parametrize("case", CASES)
def test_next_job(case):
    job = job_of(case.get("job"))
    known = {"CurrentJob": job.uuid} if job else {}
    machine = machine_of({**known, **case["machine"]})
    request = JobRequest(case.get("context", ""), job, shelf(CONTENT), NOW, new_keys())
    decision = assert_refused(case.get("refused"), lambda: next_job(machine, request))
    if decision is None:
        return
    assert decision.status == case["status"]
    assert_has(decision.machine, case.get("after", {}))
    if "created" in case:
        assert_has(decision.created, case["created"])
    else:
        assert (decision.created is None) == (decision.status != 201)
    assert_has(decision.job, case.get("answer", {} if decision.status < 204 else None))
    assert decision.job == decision.created or decision.status != 201
    assert_has(decision.previous, case.get("previous", {} if decision.created and job else None))
    assert decision.log == tuple(case["log"]) if "log" in case else bool(decision.log) == bool(decision.created)
    assert (asdict(decision.action) if decision.action else None) == case.get("action")


def test_a_job_names_its_machine():
    assert_refused({"Code": 400, "Model": "jobs"}, lambda: job_request_machine(None, Job()))


def test_a_job_is_for_a_machine_that_is_there():
    messages = [f"Machine {MACHINE} does not exist"]
    expected = {"Code": 422, "Type": "ValidationError", "Messages": messages}
    assert_refused(expected, lambda: job_request_machine(None, Job(machine=MACHINE)))


def test_the_key_of_a_job_is_one():
    expected = {"Code": 422, "Messages": ["Invalid Uuid `7`"]}
    assert_refused(expected, lambda: job_request_machine(machine_of({}), Job(uuid="7", machine=MACHINE)))


def test_the_machine_of_a_job():
    machine = machine_of({})
    assert job_request_machine(machine, Job(machine=MACHINE)) is machine
    assert job_request_machine(machine, Job(machine=MACHINE, uuid="bbbbbbbb-0000-4000-8000-000000000000")) is machine
