"""What transactions need of a connection to a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Connection(Protocol):
    """Runs SQL that all databases understand; `?` stands for a value.

    Its failures are `Unavailable`.
    """

    @property
    def words(self) -> Mapping[str, str]:
        """What is spelled differently: types and clauses by the name they have in statements."""

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds."""

    def run(self, statement: str, *values: Any) -> None:
        """Run a statement."""

    def run_many(self, statement: str, lines: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement with each of the lines of values; there may be none."""
