"""Helper processes of a job, which may outlive it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ansible_ensemble


def start_helper(module: str, *arguments: str, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a module of this package in a session of its own, with a pipe to its standard input."""
    package = str(Path(ansible_ensemble.__file__).parents[1])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
