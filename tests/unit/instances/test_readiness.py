from __future__ import annotations

import pytest

from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.readiness import aggregate, combine, overall
from ansible_ensemble.instances.status import Priority, Status

OK, DEGRADED, DRIFTED, ERROR, PENDING, ABSENT, UNKNOWN = (
    Status.OK,
    Status.DEGRADED,
    Status.DRIFTED,
    Status.ERROR,
    Status.PENDING,
    Status.ABSENT,
    Status.UNKNOWN,
)
REQUIRED, OPTIONAL, IGNORE = Priority.REQUIRED, Priority.OPTIONAL, Priority.IGNORE


@pytest.mark.parametrize(
    ("own", "requirements", "expected"),
    [
        (OK, [], OK),
        (OK, [(OK, REQUIRED)], OK),
        (OK, [(ERROR, REQUIRED)], ERROR),
        (OK, [(ABSENT, REQUIRED)], ERROR),
        (OK, [(UNKNOWN, REQUIRED)], ERROR),
        (OK, [(PENDING, REQUIRED)], PENDING),
        (OK, [(PENDING, REQUIRED), (ERROR, REQUIRED)], ERROR),
        (OK, [(ERROR, OPTIONAL)], DEGRADED),
        (OK, [(DEGRADED, REQUIRED)], DEGRADED),
        (OK, [(DEGRADED, REQUIRED), (PENDING, REQUIRED)], PENDING),
        (OK, [(ERROR, IGNORE)], OK),
        (OK, [(DRIFTED, REQUIRED), (PENDING, REQUIRED), (DEGRADED, REQUIRED)], DRIFTED),
        (OK, [(DRIFTED, REQUIRED), (ERROR, REQUIRED)], ERROR),
        (OK, [(DRIFTED, OPTIONAL)], DEGRADED),
        (DRIFTED, [(ERROR, REQUIRED)], DRIFTED),
        (ABSENT, [(ERROR, REQUIRED)], ABSENT),
        (UNKNOWN, [(OK, REQUIRED)], UNKNOWN),
        (PENDING, [(DEGRADED, REQUIRED)], PENDING),
    ],
)
def test_combine(own, requirements, expected):
    assert combine(own, requirements) is expected


def chain(length: int) -> tuple[Instances, dict[str, list[str]]]:
    instances = Instances()
    for number in range(length):
        instances.add(Instance(f"n{number}", "t", local=OK))
    return instances, {f"n{number}": [f"n{number - 1}"] for number in range(1, length)}


def test_an_error_reaches_the_far_end_of_a_long_chain():
    instances, requirements = chain(5000)
    instances.by_name["n0"].local = ERROR
    aggregate(instances, requirements)
    assert instances.by_name["n4999"].effective is ERROR
    assert instances.by_name["n4999"].local is OK


def test_a_cycle_in_a_hand_made_status_ends():
    instances, _ = chain(2)
    aggregate(instances, {"n0": ["n1"], "n1": ["n0"]})
    assert {instance.effective for instance in instances} == {OK}


def test_overall_is_the_worst_that_counts():
    instances, requirements = chain(3)
    instances.by_name["n2"].local = ERROR
    instances.by_name["n2"].priority = OPTIONAL
    aggregate(instances, requirements)
    assert overall(instances) is DEGRADED
    for instance in instances:
        instance.local = instance.effective = ABSENT
    assert overall(instances) is ABSENT
    assert overall(Instances()) is OK


def test_peers_that_were_broken_are_well_again() -> None:
    instances = Instances()
    for name in "ab":
        instances.add(Instance(name, name, local=Status.OK, effective=Status.ERROR))
    aggregate(instances, {"a": ["b"], "b": ["a"]})
    assert [one.effective for one in instances] == [Status.OK, Status.OK]
