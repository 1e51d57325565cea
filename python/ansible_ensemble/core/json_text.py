"""Documents in JSON that every reader takes: infinity and NaN, which JSON has not, are texts as in YAML."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

_dumps = partial(json.dumps, default=str, allow_nan=False)
_INFINITE = {math.inf: ".inf", -math.inf: "-.inf"}


def json_text(document: Any, **layout: Any) -> str:
    """A document in JSON, in one line unless the layout, as of `json.dumps`, says otherwise."""
    try:
        return _dumps(document, **layout)
    except ValueError:
        return _dumps(_finite(document), **layout)


def not_finite(value: float) -> str:
    """Infinity or NaN as YAML writes it."""
    return _INFINITE.get(value, ".nan")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else not_finite(value)
    if isinstance(value, dict):
        return {_finite(key) if isinstance(key, float) else key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value
