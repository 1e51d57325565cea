"""Calling the functions of others so that whatever comes of it can be awaited."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Subject = TypeVar("Subject")


def call(function: Callable[[Subject], T], subject: Subject) -> T:
    """What the function returns of the subject.

    Raises:
        RuntimeError: the function raised `StopIteration`, which nothing that is awaited may raise.
    """
    try:
        return function(subject)
    except StopIteration as error:
        raise RuntimeError("the function raised StopIteration") from error
