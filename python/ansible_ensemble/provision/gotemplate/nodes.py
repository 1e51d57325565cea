"""What a parsed template consists of. Positions are offsets into its text."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Node(Struct, frozen=True):
    """A piece of a template's text, from `start` to before `end`."""

    start: int
    end: int


class Text(Node, frozen=True):
    """Text outside of actions."""

    text: str


class Literal(Node, frozen=True):
    """A string, a truth value or a number; a number without point and exponent is an int."""

    value: str | bool | int | float


class Nil(Node, frozen=True):
    """The word nil."""


class Dot(Node, frozen=True):
    """The cursor."""


class Field(Node, frozen=True):
    """`.A.B`: members of the cursor."""

    names: tuple[str, ...]


class Variable(Node, frozen=True):
    """`$x.A.B`: a variable, and members of it."""

    name: str
    names: tuple[str, ...]


class Identifier(Node, frozen=True):
    """The name of a function."""

    name: str


class Chain(Node, frozen=True):
    """`(pipeline).A.B`: members of what an operand gives."""

    operand: Operand
    names: tuple[str, ...]


class Command(Node, frozen=True):
    """An operand or a call: its first operand with the others as arguments."""

    operands: tuple[Operand, ...]


class Pipeline(Node, frozen=True):
    """Commands, each of which gets the value of the one before as last argument; and variables that get the value."""

    variables: tuple[str, ...]
    assigns: bool
    commands: tuple[Command, ...]


Operand: TypeAlias = Literal | Nil | Dot | Field | Variable | Identifier | Chain | Pipeline


class Action(Node, frozen=True):
    """A pipeline whose value is printed, unless it sets variables."""

    pipeline: Pipeline


class Branch(Node, frozen=True):
    """What if, with and range share: a pipeline, a body, and what follows else."""

    pipeline: Pipeline
    body: Body
    otherwise: Body


class If(Branch, frozen=True):
    """`{{if}}`."""


class With(Branch, frozen=True):
    """`{{with}}`: the value is the cursor of the body."""


class Range(Branch, frozen=True):
    """`{{range}}`: each item is the cursor of the body."""


class Invocation(Node, frozen=True):
    """`{{template "name" pipeline}}`."""

    name: str
    pipeline: Pipeline | None


class Break(Node, frozen=True):
    """`{{break}}`."""


class Continue(Node, frozen=True):
    """`{{continue}}`."""


Statement: TypeAlias = Text | Action | If | With | Range | Invocation | Break | Continue
Body: TypeAlias = tuple[Statement, ...]


class Tree(Struct, frozen=True):
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
