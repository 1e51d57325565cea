"""Names of node templates and files, made from those of tasks and plays."""

from __future__ import annotations

import re

#: How the names of the files begin that are written beside the service template.
PREFIX = "imported"
_LONGEST = 48  #: of a name


class Namer:
    """Makes names of node templates and files, each of them once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, text: str, kind: str = "") -> str:
        """A name like the text that is not taken yet; where it is, the kind tells what is named, then a number does."""
        base = re.sub(r"[^a-z0-9]+", "_", text.lower().replace("'", "")).strip("_")[:_LONGEST].strip("_") or "step"
        if kind and base in self._taken:
            base = f"{base}_{kind}"
        made, number = base, 1
        while made in self._taken:
            number += 1
            made = f"{base}_{number}"
        self._taken.add(made)
        return made
