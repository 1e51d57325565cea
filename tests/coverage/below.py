"""Say which files the tests run less than so much of, the worst first. Arguments: coverage's JSON, a percentage."""

from __future__ import annotations

import json
import sys
from pathlib import Path

files = json.loads(Path(sys.argv[1]).read_text())["files"]
run = sorted((one["summary"]["percent_covered"], name) for name, one in files.items())
for percent, name in run:
    if percent < float(sys.argv[2]):
        print(f"{percent:5.1f} % of {name}")
