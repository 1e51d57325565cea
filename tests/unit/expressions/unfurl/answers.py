"""Write as JSON what Unfurl makes of the expressions in a file of JSON, for the instance `app`; run by its Python.

What it refuses is `[REFUSED]`.
"""

from __future__ import annotations

import enum
import json
import sys
from pathlib import Path
from typing import Any

from unfurl.eval import RefContext, map_value
from unfurl.localenv import LocalEnv
from unfurl.logs import sensitive
from unfurl.result import Result, ResultsList
from unfurl.runtime import EntityInstance


def plain(value: Any) -> Any:
    value = value.resolved if isinstance(value, Result) else value
    if isinstance(value, sensitive):
        return f"sensitive {value}"
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple, ResultsList)):
        return [plain(one) for one in value]
    if hasattr(value, "items"):
        return {str(key): plain(one) for key, one in value.items()}
    return value.name if isinstance(value, EntityInstance) else str(value)


def answer(expression: Any) -> Any:
    try:
        return plain(map_value(expression, RefContext(app)))
    except Exception:  # of whatever kind: this asks what it takes
        return ["REFUSED"]


app = LocalEnv("ensemble.yaml", homePath="").get_manifest().rootResource.find_resource("app")
expressions = json.loads(Path(sys.argv[1]).read_text())
Path(sys.argv[2]).write_text(json.dumps([answer(one) for one in expressions]))
