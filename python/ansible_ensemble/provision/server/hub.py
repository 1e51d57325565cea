"""Who is told of which events: an index of matches, so that an event finds its listeners without asking each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.server.filters import Match, matches_of


class Listener(Protocol):
    """Somebody who is told of events."""

    def hear(self, message: bytes) -> None:
        """Take an event as JSON; at once, in the event loop."""


class Hub:
    """The listeners of one server process, and what each of them wants to hear."""

    def __init__(self) -> None:
        self._listeners: dict[Match, set[Listener]] = defaultdict(set)

    def add(self, listener: Listener, matches: Iterable[Match]) -> None:
        """Tell a listener of events from now on."""
        for match in matches:
            self._listeners[match].add(listener)

    def remove(self, listener: Listener, matches: Iterable[Match]) -> None:
        """Tell a listener of them no more."""
        for match in matches:
            self._listeners[match].discard(listener)
            if not self._listeners[match]:
                del self._listeners[match]

    def publish(self, events: Sequence[Event]) -> None:
        """Tell of events, in their order; each listener hears each once."""
        for event in events:
            if heard := self._who_hears(event):
                message = encode(event)
                for listener in heard:
                    listener.hear(message)

    def _who_hears(self, event: Event) -> set[Listener]:
        found: set[Listener] = set()
        for match in matches_of(event.type, event.action, event.key):
            found |= self._listeners.get(match, set())
        return found
