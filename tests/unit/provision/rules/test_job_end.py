"""When a machine is made runnable again after a failure."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ansible_ensemble.provision.rules.job_end import retried, retry_due
from tests.unit.provision.rules.world import JOB, assert_has, job_of, machine_of, shelf

DUE = {"State": "failed", "Meta": {"retry-at": "2024-05-01T12:00:02Z", "other": "x"}}
WAITING = {"Runnable": False, "CurrentJob": JOB, "Tasks": ["t1"], "CurrentTask": 0}


@pytest.mark.parametrize(
    ("machine", "job", "due"),
    [
        ({}, {}, True),
        ({}, {"State": "running"}, False),
        ({}, {"Meta": {}}, False),
        ({}, {"Meta": {"retry-at": "soon"}}, False),
        ({"Runnable": True}, {}, False),
        ({"CurrentJob": "another"}, {}, False),
        ({"Tasks": ["h1"], "CurrentTask": -1}, {}, True),
    ],
)
def test_a_retry_is_due_while_the_machine_waits_for_it(machine, job, due):
    expected = datetime(2024, 5, 1, 12, 0, 2, tzinfo=UTC) if due else None
    assert retry_due(machine_of({**WAITING, **machine}), job_of({**DUE, **job})) == expected


def test_no_retry_is_due_without_a_job():
    assert retry_due(machine_of(WAITING), None) is None


def test_a_retry_makes_the_machine_runnable_once():
    machine, job = retried(machine_of(WAITING), job_of(DUE), shelf({"tasks": {"t1": {}}}))
    assert_has(machine, {"Runnable": True, "CurrentTask": 0})
    assert_has(job, {"Meta": {"other": "x"}, "State": "failed"})
    assert retry_due(machine.replaced(runnable=False), job) is None


def test_a_retry_does_not_run_on_a_machine_that_cannot_be_used():
    machine, _ = retried(machine_of(WAITING), job_of(DUE), shelf())
    assert_has(machine, {"Runnable": False, "Available": False, "Errors": ["Task t1 does not exist"]})
