"""What one rendering may use: steps, output, size of a value, depth."""

from __future__ import annotations

from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType
from typing import Any

from msgspec import Struct


class Fault(Exception):
    """What is wrong, said by a rule or a function that does not know where; the evaluator adds template and line."""


class NoData(Fault):
    """A function, a class or an object of Python where a value is wanted."""


_PROGRAMS = (FunctionType, BuiltinFunctionType, MethodType, MethodWrapperType, partial, type)

#: A number may have no more; to compute with, or to print, larger ones takes Python very long.
MOST_BITS = 4096

CHARACTERS_PER_STEP = 256  # handling so much text takes about as long as one step of the evaluator


class Limits(Struct, frozen=True):
    """Bounds of one rendering.

    Attributes:
        steps: evaluated nodes, turns of loops, and text that functions handle.
        output: characters of the result; also of each text on the way to it.
        depth: templates within templates.
    """

    steps: int = 500_000
    output: int = 4 * 1024 * 1024
    depth: int = 40


class Budget:
    """What is left of the limits of one rendering."""

    __slots__ = ("depth", "limits", "parts", "room", "steps")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.renew()

    def renew(self) -> None:
        """Begin another rendering."""
        self.steps = self.limits.steps
        self.room = self.limits.output
        self.depth = 0
        self.parts: list[str] = []

    def spend(self, steps: int = 1) -> None:
        """Take steps; raise Fault when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise Fault(f"more than {self.limits.steps} steps")

    def write(self, text: str) -> None:
        """Append to the output; raise Fault when it becomes too long."""
        self.room -= len(text)
        if self.room < 0:
            raise Fault(f"more than {self.limits.output} characters of output")
        self.parts.append(text)

    def hold(self, characters: int) -> None:
        """Pay for a text of this length before it is made; raise Fault when it is longer than output may be."""
        if characters > self.limits.output:
            raise Fault(f"a text of more than {self.limits.output} characters")
        if characters > CHARACTERS_PER_STEP:
            self.spend(characters // CHARACTERS_PER_STEP)

    def items(self, count: int) -> None:
        """Pay for a list of this length before it is made."""
        self.spend(max(count, 0))

    def pay(self, value: Any) -> int:
        """Pay for walking through all of a value, and tell how long it is as text, roughly.

        Raises:
            Fault: that is too much; a value within itself is, and a number of too many digits. It is, or has, what has
                no text but where it stands in memory: a function, a class, an object of Python.
        """
        pending, size = [value], 0
        while pending:
            self.spend()
            item = pending.pop()
            size += 8
            if isinstance(item, str):
                self.hold(len(item))
                size += len(item)
            elif isinstance(item, dict):
                pending.extend(item)
                pending.extend(dict.values(item))
            elif isinstance(item, (list, tuple)):
                pending.extend(item)
            elif isinstance(item, int) and item.bit_length() > MOST_BITS:
                raise Fault("the number is too large")
            elif _is_no_data(item):
                raise NoData(f"a {type(item).__name__} is no value; a function is called with ()")
        return size


def _is_no_data(item: Any) -> bool:
    kind: Any = type(item)
    return isinstance(item, _PROGRAMS) or (kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__)
