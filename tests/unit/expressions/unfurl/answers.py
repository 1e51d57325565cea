"""Print as JSON what Unfurl makes of the expressions in a file of JSON, for the instance `app`; run by its Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from unfurl.eval import RefContext, map_value
from unfurl.localenv import LocalEnv
from unfurl.logs import sensitive
from unfurl.result import ResultsList
from unfurl.runtime import EntityInstance


def plain(value: Any) -> Any:
    if isinstance(value, sensitive):
        return f"sensitive {value}"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple, ResultsList)):
        return [plain(one) for one in value]
    if hasattr(value, "items"):
        return {str(key): plain(one) for key, one in value.items()}
    return value.name if isinstance(value, EntityInstance) else str(value)


app = LocalEnv("ensemble.yaml", homePath="").get_manifest().rootResource.find_resource("app")
expressions = json.loads(Path(sys.argv[1]).read_text())
Path(sys.argv[2]).write_text(json.dumps([plain(map_value(one, RefContext(app))) for one in expressions]))
