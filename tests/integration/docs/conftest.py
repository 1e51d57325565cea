"""Fixtures of the tests of pages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short path, for a long one changes how plans are laid out."""
    with tempfile.TemporaryDirectory(prefix="h", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
