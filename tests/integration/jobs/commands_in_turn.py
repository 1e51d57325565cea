"""Runs commands in turn in one process, for a test that looks at what each of them writes to its terminal.

The commands are the argument, as JSON. Behind what each wrote stand a separator and its exit code.
"""

from __future__ import annotations

import json
import os
import sys

from ansible_ensemble.cli.console import standard_console
from ansible_ensemble.cli.main import execute
from ansible_ensemble.cli.session import Session

if __name__ == "__main__":
    for words in json.loads(sys.argv[1]):
        code = execute(words, Session(standard_console(os.environ)))
        sys.stderr.flush()
        print(f"\x1e{code}\x1e", end="", flush=True)
