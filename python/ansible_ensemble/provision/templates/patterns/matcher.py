"""Matches a pattern by following all its ways at once, one character after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from ..budget import Budget
from ..fault import Fault
from .characters import WORD, Characters
from .syntax import Assertion, Choice, Group, One, Parsed, Pattern, Repeat, Sequence, parse

MOST_INSTRUCTIONS = 20_000
Spans: TypeAlias = tuple[int, ...]  # start and end of each group; -1 for one that is not part of the match


@dataclass(frozen=True, slots=True)
class _Take:
    characters: Characters


@dataclass(frozen=True, slots=True)
class _Check:
    condition: str


@dataclass(frozen=True, slots=True)
class _Keep:
    slot: int


@dataclass(slots=True)
class _Fork:
    """Goes on at each of the targets; the first is preferred."""

    targets: list[int] = field(default_factory=list)


class _End:
    """The pattern matches."""


_Instruction: TypeAlias = _Take | _Check | _Keep | _Fork | _End


class _Compiler:
    def __init__(self) -> None:
        self.program: list[_Instruction] = []

    def add(self, instruction: _Instruction) -> None:
        if len(self.program) >= MOST_INSTRUCTIONS:
            raise Fault("error parsing regexp: expression too large")
        self.program.append(instruction)

    def compile(self, pattern: Pattern) -> None:
        if isinstance(pattern, One):
            self.add(_Take(pattern.characters))
        elif isinstance(pattern, Assertion):
            self.add(_Check(pattern.condition))
        elif isinstance(pattern, Sequence):
            for item in pattern.items:
                self.compile(item)
        elif isinstance(pattern, Group):
            self.add(_Keep(2 * pattern.number))
            self.compile(pattern.item)
            self.add(_Keep(2 * pattern.number + 1))
        elif isinstance(pattern, Choice):
            self._choice(pattern)
        else:
            self._repeat(pattern)

    def _choice(self, choice: Choice) -> None:
        fork, ends = _Fork(), list[_Fork]()
        self.add(fork)
        for option in choice.options:
            fork.targets.append(len(self.program))
            self.compile(option)
            ends.append(_Fork())
            self.add(ends[-1])
        for end in ends:
            end.targets.append(len(self.program))

    def _repeat(self, repeat: Repeat) -> None:
        for _ in range(repeat.least):
            self.compile(repeat.item)
        if repeat.most is None:
            self._endless(repeat)
            return
        forks = []
        for _ in range(repeat.most - repeat.least):
            forks.append(_Fork([len(self.program) + 1]))
            self.add(forks[-1])
            self.compile(repeat.item)
        for fork in forks:
            self._or_on(fork, repeat.lazy)

    def _endless(self, repeat: Repeat) -> None:
        fork = _Fork([len(self.program) + 1])
        self.add(fork)
        self.compile(repeat.item)
        self.add(_Fork([len(self.program) - self._length_since(fork)]))
        self._or_on(fork, repeat.lazy)

    def _length_since(self, fork: _Fork) -> int:
        return len(self.program) - (fork.targets[0] - 1)

    def _or_on(self, fork: _Fork, lazy: bool) -> None:
        """Let a fork also go on behind all that is there so far."""
        fork.targets.insert(0 if lazy else 1, len(self.program))


class Expression:
    """A compiled pattern."""

    def __init__(self, parsed: Parsed) -> None:
        compiler = _Compiler()
        compiler.compile(Group(parsed.pattern, 0))
        compiler.add(_End())
        self._program = compiler.program
        self._slots = 2 * parsed.groups
        self.names = parsed.names
        self.groups = parsed.groups

    def find(self, budget: Budget, text: str, start: int = 0) -> Spans | None:
        """The leftmost match from a position on; of those that start there the one that the pattern prefers."""
        found: Spans | None = None
        threads: list[tuple[int, Spans]] = []
        for position in range(start, len(text) + 1):
            if found is None:
                seen = {at for at, _ in threads}
                threads += self._follow(text, position, 0, (-1,) * self._slots, seen)
            budget.spend(1 + len(threads))
            threads, ended = self._step(text, position, threads)
            found = ended or found
            if not threads and found is not None:
                break
        return found

    def _step(
        self, text: str, position: int, threads: list[tuple[int, Spans]]
    ) -> tuple[list[tuple[int, Spans]], Spans | None]:
        """The threads after one more character; those behind one that has matched are cut off."""
        after: list[tuple[int, Spans]] = []
        seen: set[int] = set()
        character = text[position] if position < len(text) else None
        for at, spans in threads:
            instruction = self._program[at]
            if isinstance(instruction, _End):
                return after, spans
            if character is not None and isinstance(instruction, _Take) and instruction.characters(character):
                after += self._follow(text, position + 1, at + 1, spans, seen)
        return after, None

    def _follow(self, text: str, position: int, at: int, spans: Spans, seen: set[int]) -> Iterator[tuple[int, Spans]]:
        """All that is reached without a character, in the order of preference."""
        pending = [(at, spans)]
        while pending:
            at, spans = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            instruction = self._program[at]
            if isinstance(instruction, _Fork):
                pending += [(target, spans) for target in reversed(instruction.targets)]
            elif isinstance(instruction, _Keep):
                pending.append((at + 1, (*spans[: instruction.slot], position, *spans[instruction.slot + 1 :])))
            elif isinstance(instruction, _Check):
                if _holds(instruction.condition, text, position):
                    pending.append((at + 1, spans))
            else:
                yield at, spans

    def all(self, budget: Budget, text: str) -> Iterator[Spans]:
        """All matches that do not overlap; an empty one right behind another does not count."""
        start, before = 0, -1
        while start <= len(text) and (spans := self.find(budget, text, start)) is not None:
            empty = spans[0] == spans[1]
            if not empty or spans[0] != before:
                yield spans
            before = spans[1]
            start = spans[1] + empty


def _holds(condition: str, text: str, position: int) -> bool:
    if condition == "start":
        return position == 0
    if condition == "end":
        return position == len(text)
    if condition == "line start":
        return position == 0 or text[position - 1] == "\n"
    if condition == "line end":
        return position == len(text) or text[position] == "\n"
    before = position > 0 and text[position - 1] in WORD
    after = position < len(text) and text[position] in WORD
    return (before != after) == (condition == "boundary")


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Expression:
    """The expression of a pattern; raise Fault for what is none."""
    return Expression(parse(pattern))
