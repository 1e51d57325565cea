"""What an adoption found, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.values import clean

#: Symbol and heading of what was not adopted as it is, by what it was found to be.
_HEADINGS = {
    "differ": ("~", "Differs, and is changed by the next deploy:"),
    "absent": ("+", "Is absent, and is created by the next deploy:"),
    "unseen": ("?", "Unknown, and run by the next deploy:"),
}
_COUNTED = {"adopted": "adopted", "differ": "differ", "absent": "absent", "unseen": "unknown"}


def adoption_lines(adoption: Mapping[str, Mapping[str, Any]], style: Style) -> Iterator[str]:
    """The instances that were not adopted as they are, and why."""
    for kind, (symbol, heading) in _HEADINGS.items():
        if found := adoption.get(kind):
            yield style.strong(heading)
            for name, reason in found.items():
                yield f"  {style.symbol(symbol)} {clean(name)}" + (f": {clean(str(reason))}" if reason else "")


def adoption_counts(adoption: Mapping[str, Mapping[str, Any]]) -> str:
    """Counts of instances by what was found."""
    counts = [f"{len(adoption[kind])} {word}" for kind, word in _COUNTED.items() if adoption[kind]]
    return f"{', '.join(counts) or 'none'}."
