"""Moments as the wire writes them: RFC 3339, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """A moment as text."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment_of(text: str) -> datetime | None:
    """The moment that a text names; None where it names none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
