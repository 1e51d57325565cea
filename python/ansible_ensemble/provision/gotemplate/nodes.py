"""What a parsed template consists of. Positions are offsets into its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a template's text, from `start` to before `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Text(Node):
    """Text outside of actions."""

    text: str


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A string, a truth value or a number; a number without point and exponent is an int."""

    value: str | bool | int | float


@dataclass(frozen=True, slots=True)
class Nil(Node):
    """The word nil."""


@dataclass(frozen=True, slots=True)
class Dot(Node):
    """The cursor."""


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`.A.B`: members of the cursor."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`$x.A.B`: a variable, and members of it."""

    name: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identifier(Node):
    """The name of a function."""

    name: str


@dataclass(frozen=True, slots=True)
class Chain(Node):
    """`(pipeline).A.B`: members of what an operand gives."""

    operand: Operand
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command(Node):
    """An operand or a call: its first operand with the others as arguments."""

    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pipeline(Node):
    """Commands, each of which gets the value of the one before as last argument; and variables that get the value."""

    variables: tuple[str, ...]
    assigns: bool
    commands: tuple[Command, ...]


Operand: TypeAlias = Literal | Nil | Dot | Field | Variable | Identifier | Chain | Pipeline


@dataclass(frozen=True, slots=True)
class Action(Node):
    """A pipeline whose value is printed, unless it sets variables."""

    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """What if, with and range share: a pipeline, a body, and what follows else."""

    pipeline: Pipeline
    body: Body
    otherwise: Body


class If(Branch):
    """`{{if}}`."""

    __slots__ = ()


class With(Branch):
    """`{{with}}`: the value is the cursor of the body."""

    __slots__ = ()


class Range(Branch):
    """`{{range}}`: each item is the cursor of the body."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Invocation(Node):
    """`{{template "name" pipeline}}`."""

    name: str
    pipeline: Pipeline | None


@dataclass(frozen=True, slots=True)
class Break(Node):
    """`{{break}}`."""


@dataclass(frozen=True, slots=True)
class Continue(Node):
    """`{{continue}}`."""


Statement: TypeAlias = Text | Action | If | With | Range | Invocation | Break | Continue
Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """A named template.

    Attributes:
        name: by which it is invoked.
        source: name of the text it is in.
        text: all of that text.
    """

    name: str
    source: str
    text: str
    body: Body

    @property
    def empty(self) -> bool:
        """Whether there is nothing but space and comments in it; such a one never replaces another."""
        return all(isinstance(item, Text) and not item.text.strip() for item in self.body)

    def place(self, offset: int) -> str:
        """`source:line:column` of an offset; lines count from 1, columns from 0, as Go says them."""
        line = self.text.count("\n", 0, offset) + 1
        return f"{self.source}:{line}:{offset - self.text.rfind(chr(10), 0, offset) - 1}"
