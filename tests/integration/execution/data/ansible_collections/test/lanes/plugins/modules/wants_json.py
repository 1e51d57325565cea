#!/usr/bin/python
# WANT_JSON
"""A module of the style before the new one."""

import json
import sys
from pathlib import Path

given = json.loads(Path(sys.argv[1]).read_text())
print(json.dumps({"changed": False, "got": given.get("name")}))
