"""Documents and the texts that are made from them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"


@pytest.fixture
def document() -> Callable[[str], Any]:
    """Reads a JSON document of the test data, anew each time."""
    return lambda name: json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def expect() -> Callable[[str, str], None]:
    """Compares a text with a file; `UPDATE_EXPECTED=1` writes the file instead, for review."""

    def compare(name: str, text: str) -> None:
        path = DATA / name
        if os.environ.get("UPDATE_EXPECTED"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
