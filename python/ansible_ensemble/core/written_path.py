"""A path on a host, whose state is recorded and compared."""

from __future__ import annotations

from msgspec import Struct


class WrittenPath(Struct, frozen=True):
    """A path that an operation is the last to write.

    Attributes:
        host: the host that it is on; empty for that of the operation.
        bare: its content does not count, but its kind, mode and owner.
    """

    path: str
    host: str = ""
    bare: bool = False

    def __str__(self) -> str:
        return f"{self.host}:{self.path}" if self.host else self.path
