"""What tasks want to have run before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ansible_ensemble.provision.objects.base import Reference

#: The prerequisites of a task; None where there is no such task.
Prerequisites = Callable[[str], Sequence[str] | None]


class CircularTask(ValueError):
    """A task that is among its own prerequisites.

    Attributes:
        name: of the task.
        reference: nothing: the task is there.
    """

    reference: Reference | None = None

    def __init__(self, task: str) -> None:
        super().__init__(f"Task {task} depends on itself!")
        self.name = task


class MissingPrerequisite(ValueError):
    """A task that is a prerequisite, and is not there.

    Attributes:
        name: of the prerequisite.
        reference: to it.
    """

    def __init__(self, task: str, missing: str) -> None:
        super().__init__(f"Task {task} missing prerequisite {missing}")
        self.name, self.reference = missing, ("tasks", missing)


def tasks_before(task: str, prerequisites: Prerequisites) -> list[str]:
    """All prerequisites of a task and theirs, each once and after its own.

    Raises:
        CircularTask: one of them is its own prerequisite.
        MissingPrerequisite: one of them is not there.
    """
    before: dict[str, None] = {}
    # By hand instead of by recursion, because content decides how deep it goes.
    path: dict[str, Iterator[str]] = {task: iter(prerequisites(task) or ())}
    while path:
        current, rest = next(reversed(path.items()))
        following = next(rest, None)
        if following is None:
            path.popitem()
            before[current] = None
        elif following in path:
            raise CircularTask(following)
        elif following not in before:
            path[following] = iter(_found(prerequisites, current, following))
    del before[task]
    return list(before)


def _found(prerequisites: Prerequisites, task: str, name: str) -> Sequence[str]:
    found = prerequisites(name)
    if found is None:
        raise MissingPrerequisite(task, name)
    return found
