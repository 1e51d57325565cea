"""What is wrong with an object, and where in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Reference


class Problem(str):
    """A message, with the place of what it is about.

    Attributes:
        path: names of fields, keys and indexes from the outside in; of a list of names, the name stands for its index.
        reference: the object that is named in vain, if that is what is wrong.
        brief: the message for those who see the place, and what stands there.
    """

    path: tuple[str | int, ...]
    reference: Reference | None
    brief: str

    def __new__(cls, message: str, *path: str | int, reference: Reference | None = None, brief: str = "") -> Self:
        """Make a text that also says where."""
        made = super().__new__(cls, message)
        made.path, made.reference, made.brief = path, reference, brief or str(message)
        return made

    def within(self, *outer: str | int) -> Self:
        """The problem as one of what this is a part of."""
        return type(self)(self, *outer, *self.path, reference=self.reference, brief=self.brief)


class Circle(Problem):
    """That an object is reached from itself, by what it names."""


def placed(message: str) -> Problem:
    """A message as a problem; of the object itself if it does not say where."""
    return message if isinstance(message, Problem) else Problem(message)


def within(field: str, messages: Iterable[str]) -> Iterator[Problem]:
    """The messages as they are about a part of an object."""
    return (placed(message).within(field) for message in messages)


def absent(reference: Reference) -> Problem:
    """That an object is named which is not there."""
    prefix, key = reference
    return Problem(f"{KINDS[prefix].TITLE} {key} does not exist", key, reference=reference)


def unavailable(reference: Reference) -> Problem:
    """That an object is named which is not available."""
    prefix, key = reference
    return Problem(f"{KINDS[prefix].TITLE} {key} is not available", key, reference=reference)
