"""Start the driver."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.preloaded import run

HERE = Path(__file__).parent
DATA = HERE / "data"
PACKAGE = HERE.parent.parent.parent / "python"


def environment(**more: str) -> dict[str, str]:
    """The environment of a process that uses the package and the test collection."""
    settings = {"PYTHONPATH": str(PACKAGE), "ANSIBLE_COLLECTIONS_PATH": str(DATA), "ANSIBLE_NOCOLOR": "1"}
    return {**os.environ, **settings, **more}


def drive(orders: list[dict[str, Any]], *, settings: Mapping[str, str] | None = None, **request: Any) -> dict[str, Any]:
    """Carry out orders in a process of its own; `settings` are variables of its environment."""
    done = run(
        [sys.executable, HERE / "driver.py"],
        env=environment(**(settings or {})),
        input=json.dumps({"orders": orders, **request}),
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
