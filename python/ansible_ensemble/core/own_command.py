"""The command of this package, as its other processes start it."""

from __future__ import annotations

import sys
from pathlib import Path

_SCRIPT = """
import shutil, sys
from ansible_ensemble.cli.main import main
folder = sys.argv.pop(1)
try:
    sys.exit(main())
finally:
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
"""


def own_command(*words: str, folder: Path | None = None) -> list[str]:
    """The command line of `ansible-ensemble WORDS`.

    Args:
        words: the command and its arguments.
        folder: a folder that it removes as it ends: who began it may have ended by then.
    """
    # modules are not imported from the folder that it runs in, which may be a stranger's
    return [sys.executable, "-P", "-c", _SCRIPT, str(folder or ""), *words]
