"""How long something lasts, as requests say it."""

from __future__ import annotations

import re

from ansible_ensemble.provision.rules.refusal import Refused

_UNITS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400,
    "mo": 30 * 86400, "y": 365 * 86400,
}  # fmt: skip
_PART = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)(ns|us|µs|ms|mo|s|m|h|d|w|y)")

#: A hundred years; whoever wants more means for ever.
LONGEST = 100 * _UNITS["y"]


def seconds(text: str) -> float:
    """The seconds of a duration: `600`, `90s`, `1h30m`, `3y`.

    Raises:
        Refused: 400, it is none, or longer than a hundred years.
    """
    parts = _PART.findall(text)
    if text.isascii() and text.isdecimal() and len(text) < 13:
        total = float(text)
    elif parts and "".join(number + unit for number, unit in parts) == text:
        total = sum(float(number) * _UNITS[unit] for number, unit in parts)
    else:
        raise Refused(400, f"{text} is not a duration")
    if total > LONGEST:
        raise Refused(400, f"{text} is too long")
    return total
