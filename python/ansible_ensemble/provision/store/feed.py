"""Those who are told of events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ansible_ensemble.provision.objects.event import Event

Listener: TypeAlias = Callable[[Sequence[Event]], None]

_LOG = logging.getLogger(__name__)


class Feed:
    """Listeners in one event loop; what one of them raises is logged, and stops no other."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with all events from now on.

        Returns:
            What ends it.
        """
        ticket = object()
        self._listeners[ticket] = listener
        return lambda: self._unsubscribe(ticket)

    def _unsubscribe(self, ticket: object) -> None:
        self._listeners.pop(ticket, None)

    def tell(self, events: Sequence[Event]) -> None:
        """Call all listeners, in the order in which they came."""
        for listener in list(self._listeners.values()):
            try:
                listener(events)
            except Exception:
                _LOG.exception("a listener to events failed")
