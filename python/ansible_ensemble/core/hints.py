"""Hints for a name that is not known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set

_SHOWN = 20  #: names that are told at most
_LONG = 4  #: letters of a name that has slips


def closest(name: object, known: Iterable[object]) -> str | None:
    """The known name most like this one; None if none is like it."""
    import difflib

    found = difflib.get_close_matches(str(name), sorted({str(one) for one in known}), 1)
    return found[0] if found else None


def nearest(name: object, known: Iterable[object]) -> str | None:
    """A hint with the known name most like this one; None if none is like it."""
    return _suggested(closest(name, known))


def nearest_or_known(name: object, known: Collection[object]) -> str | None:
    """A hint that tells the known name most like this one, or else which there are; None if there are none."""
    return nearest(name, known) or known_names(known)


def known_names(names: Collection[object]) -> str | None:
    """A hint with the known names, in their order; None if there are none."""
    ordered = sorted(names, key=str) if isinstance(names, Set) else names
    shown = list(dict.fromkeys(str(one) for one in ordered))
    if not shown:
        return None
    return f"known are {', '.join(shown[:_SHOWN])}" + (", ..." if len(shown) > _SHOWN else "")


def slip_of(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one is but for one letter, two in the wrong order, or two at its end; None if none.

    It decides whether a name that may be the user's own is refused; what is refused anyway gets a hint by `nearest`.
    A short name is not taken for a slip, nor is one with another number.
    """
    return next(
        (one for one in known if one != name and len(one) >= _LONG and _is_slip(name.lower(), one.lower())), None
    )


def slip_hint(name: str, known: Iterable[str]) -> str | None:
    """A hint with the known name that this one is a slip of, by `slip_of`; None if it is a word of its own."""
    return _suggested(slip_of(name, known))


def _suggested(found: str | None) -> str | None:
    return f"did you mean {found}?" if found else None


def _is_slip(left: str, right: str) -> bool:
    if len(left) >= _LONG and right.startswith(left) and len(right) - len(left) <= 2:
        return not right[len(left) :].isdigit()
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    if len(left) <= 1 and len(right) <= 1:
        return not f"{left}{right}".isdigit()
    return len(left) == 2 and left == right[::-1]
