"""What the server counts, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

_PREFIX = "ansible_ensemble_provision"
_BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """Counts of requests and events since the server started.

    Attributes:
        events: how many events there were.
    """

    def __init__(self) -> None:
        self.events = 0
        self._requests: Counter[tuple[str, int]] = Counter()
        self._within = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    def count(self, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests[method, status] += 1
        self._within[bisect_left(_BOUNDS, seconds)] += 1
        self._seconds += seconds

    def text(self, sockets: int, kept: Mapping[str, int]) -> str:
        """All of it.

        Args:
            sockets: how many websockets are open.
            kept: how many objects there are of each kind.
        """
        lines = [*self._of_requests(), *self._of_times()]
        lines += _lines("events_total", "counter", "Events", {"": self.events})
        lines += _lines("websockets", "gauge", "Websockets that are open", {"": sockets})
        lines += _lines("objects", "gauge", "Objects", {f'{{kind="{kind}"}}': count for kind, count in kept.items()})
        return "\n".join(lines) + "\n"

    def _of_requests(self) -> Iterator[str]:
        counts = {f'{{method="{method}",status="{status}"}}': n for (method, status), n in self._requests.items()}
        return _lines("requests_total", "counter", "Requests that were answered", counts)

    def _of_times(self) -> Iterator[str]:
        name, total = f"{_PREFIX}_request_seconds", 0
        yield from _lines("request_seconds", "histogram", "Seconds until a request was answered", {})
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self._within, strict=True):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._seconds:.6f}"
        yield f"{name}_count {total}"


def _lines(name: str, kind: str, meaning: str, values: Mapping[str, int]) -> Iterator[str]:
    yield f"# HELP {_PREFIX}_{name} {meaning}."
    yield f"# TYPE {_PREFIX}_{name} {kind}"
    for labels, value in values.items():
        yield f"{_PREFIX}_{name}{labels} {value}"
