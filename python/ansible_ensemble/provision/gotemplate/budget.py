"""What one rendering may use: steps, output, size of a value, depth."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_ensemble.provision.gotemplate.fault import Fault

CHARACTERS_PER_STEP = 256  # handling so much text takes about as long as one step of the evaluator


@dataclass(frozen=True, slots=True)
class Limits:
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
        self.steps = limits.steps
        self.room = limits.output
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
