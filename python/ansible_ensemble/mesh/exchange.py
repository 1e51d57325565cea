"""The exchange with the worker of a node: what it is told of orders, and what is known of those that do not come back.

It knows neither clock nor connection: `Carrier` has both, and so has a simulation.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

#: Seconds for which an order goes on that nobody waits for.
LEFT = 30.0
#: Seconds that what is ended gets for it.
GRACE = 10.0
#: Seconds without a sign of life after which the other end counts as gone.
SILENCE = 30.0
#: Seconds for which a node may be away before what it was told counts as cut off. It has ended that by then, though it
#: notices last that nobody waits.
PATIENCE = SILENCE + LEFT + 2 * GRACE


class Due(Enum):
    """What a worker is to be told of an order."""

    BEGIN = "begin"
    CANCEL = "cancel"


class _Order(Struct):
    """How often an order has left, and last by which connection; whether it is to be ended."""

    times: int = 0
    connection: int | None = None
    is_cancelled: bool = False


class Exchange:
    """The orders of a node that have not ended."""

    def __init__(self) -> None:
        self._open: dict[str, _Order] = {}
        self._connections = 0
        self._connection: int | None = None

    @property
    def connection(self) -> int | None:
        """The number of the connection; None while there is none."""
        return self._connection

    @property
    def open(self) -> list[str]:
        """The names of the orders, in the order that they came."""
        return list(self._open)

    def is_open(self, name: str) -> bool:
        """Whether an order has not ended."""
        return name in self._open

    def add(self, name: str, *, is_begun: bool = False) -> None:
        """An order has to be carried out; one that another job began is ended, should it still run."""
        self._open[name] = _Order(times=1, is_cancelled=True) if is_begun else _Order()

    def due(self, name: str) -> Due | None:
        """What the worker has to be told of an order now."""
        order = self._open.get(name)
        if order is None or self._connection is None:
            return None
        if order.is_cancelled:
            return Due.CANCEL
        return Due.BEGIN if order.connection != self._connection else None

    def leaves(self, name: str) -> None:
        """The worker is told to begin an order."""
        order = self._open[name]
        order.times, order.connection = order.times + 1, self._connection

    def has_left(self, name: str) -> bool:
        """Whether the worker was told to begin an order."""
        return self._open[name].times > 0

    def cancel(self, name: str) -> bool:
        """Whether an order that is not wanted any more may have been begun; then the worker is to be told."""
        order = self._open[name]
        order.is_cancelled = order.times > 0
        return order.is_cancelled

    def is_done(self, name: str, *, refused: bool) -> bool | None:
        """What an order has done that does not come back: nothing (False), or nobody knows (None).

        Nothing was done if it never left, or was refused at once; a worker that refuses it later may have done it
        before.
        """
        order = self._open[name]
        is_known = order.times <= 1 and not order.is_cancelled and (refused or not order.times)
        return False if is_known else None

    def forget(self, name: str) -> None:
        """An order has ended."""
        self._open.pop(name, None)

    def connected(self) -> None:
        """There is a connection: what is due is told."""
        self._connections += 1
        self._connection = self._connections

    def lost(self) -> None:
        """The connection is gone."""
        self._connection = None
