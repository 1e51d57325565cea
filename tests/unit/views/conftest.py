from __future__ import annotations

from tests.unit.model import build, empty, model

__all__ = ["build", "empty", "model"]
