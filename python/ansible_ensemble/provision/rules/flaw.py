"""What is wrong with an object, and where in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

from ansible_ensemble.provision.objects.base import Reference

#: What errors call the kinds of objects.
TITLES = {
    "bootenvs": "Bootenv",
    "params": "Param",
    "profiles": "Profile",
    "roles": "Role",
    "stages": "Stage",
    "tasks": "Task",
    "templates": "Template",
    "workflows": "Workflow",
}


class Flaw(str):
    """A message, with the place of what it is about.

    Attributes:
        path: names of fields, keys and indexes from the outside in; of a list of names, the name stands for its index.
        reference: the object that is named in vain, if that is what is wrong.
    """

    path: tuple[str | int, ...]
    reference: Reference | None

    def __new__(cls, message: str, *path: str | int, reference: Reference | None = None) -> Self:
        """Make a text that also says where."""
        made = super().__new__(cls, message)
        made.path, made.reference = path, reference
        return made


class Circle(Flaw):
    """That an object is reached from itself, by what it names."""


def path_of(message: str) -> tuple[str | int, ...]:
    """Where in an object a message is about; the object itself if the message does not say."""
    return message.path if isinstance(message, Flaw) else ()


def within(field: str, messages: Iterable[str]) -> Iterator[Flaw]:
    """The messages as they are about a part of an object."""
    for message in messages:
        yield Flaw(message, field, *path_of(message), reference=getattr(message, "reference", None))


def absent(reference: Reference) -> Flaw:
    """That an object is named which is not there."""
    prefix, key = reference
    return Flaw(f"{TITLES[prefix]} {key} does not exist", key, reference=reference)


def unavailable(reference: Reference) -> Flaw:
    """That an object is named which is not available."""
    prefix, key = reference
    return Flaw(f"{TITLES[prefix]} {key} is not available", key, reference=reference)
