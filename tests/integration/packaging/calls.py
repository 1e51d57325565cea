"""Commands as somebody runs them who has no checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path


def call(command: Sequence[str | Path], cwd: Path, **environment: str) -> str:
    """Run a command far from this checkout and its environment; the output."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHONPATH", "VIRTUAL"))
    }
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**kept, "ANSIBLE_HOME": str(cwd / "ansible-home"), "ANSIBLE_NOCOLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
