"""What tasks want to have run before them."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.rules.prerequisites import CircularTask, MissingPrerequisite, tasks_before


@pytest.mark.parametrize(
    ("tasks", "before"),
    [
        ({"a": []}, []),
        ({}, []),
        ({"a": ["b"], "b": []}, ["b"]),
        ({"a": ["c", "b"], "b": ["c"], "c": []}, ["c", "b"]),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, ["d", "b", "c"]),
        ({"a": ["b", "b"], "b": []}, ["b"]),
    ],
)
def test_tasks_before(tasks, before):
    assert tasks_before("a", tasks.get) == before


@pytest.mark.parametrize("tasks", [{"a": ["a"]}, {"a": ["b"], "b": ["a"]}, {"a": ["b"], "b": ["c"], "c": ["b"]}])
def test_a_circle(tasks):
    with pytest.raises(CircularTask, match=r"Task [ab] depends on itself!"):
        tasks_before("a", tasks.get)


def test_a_gap():
    with pytest.raises(MissingPrerequisite, match="Task b missing prerequisite c"):
        tasks_before("a", {"a": ["b"], "b": ["c"]}.get)


def test_a_chain_may_be_longer_than_the_stack_of_python():
    tasks = {str(number): [str(number + 1)] for number in range(5000)} | {"5000": []}
    assert len(tasks_before("0", tasks.get)) == 5000
