"""What a command is to help and to the parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct


class Command(Struct, frozen=True):
    """A command.

    Attributes:
        name: what users type; several words where it is a part of another command.
        module: its module in `ansible_ensemble.cli.commands`; none where it has parts.
        summary: what it does, in one line.
        group: the heading that help lists it under.
        alias: another name for it.
        runs: whether it runs what is in a project; `plan` does in a dry run alone.
        extra: the extra of the package that it needs.
        rare: whether help lists it last, as few need it every day.
        made_of: makes its parts when they are asked for; most commands have none, and some have many.
    """

    name: str
    module: str
    summary: str
    group: str
    alias: str | None = None
    runs: bool = False
    extra: str = ""
    rare: bool = False
    made_of: Callable[[], tuple[Command, ...]] = tuple

    @property
    def word(self) -> str:
        """The last word of its name."""
        return self.name.rpartition(" ")[2]

    @property
    def parts(self) -> tuple[Command, ...]:
        """The commands whose names begin with its own."""
        return self.made_of()

    def leaves(self) -> Iterator[Command]:
        """The commands that do something: itself, or those of its parts."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()
