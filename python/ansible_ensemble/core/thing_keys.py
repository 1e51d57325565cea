"""Keys of what tasks make: which thing it is, on which machine, and where its paths lead."""

from __future__ import annotations

#: The machine of what is the same from everywhere.
ANYWHERE = "anywhere"


def key_of(thing: str, machine: str, paths: str) -> str:
    """The key of a thing at its place, of which all are digests; without a machine the place is not known."""
    return f"{thing}.{machine}.{paths}"


def thing_of(key: str) -> str:
    """The thing itself, wherever it is."""
    return key.partition(".")[0]


def machine_of(key: str) -> str:
    """The machine; empty if it is not known."""
    return key.split(".")[1] if "." in key else ""


def is_nowhere(key: str) -> bool:
    """Whether nobody could see where the thing is."""
    return "." in key and not machine_of(key)
