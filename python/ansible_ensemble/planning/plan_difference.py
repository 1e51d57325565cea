"""Differences between a saved plan and the plan as it would be made now."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

#: What says nothing of what is done: where and by which job; what the plan was made from, which is compared by itself;
#: and what comes of the moment, such as other jobs that run.
_ASIDE = frozenset({"ensemble", "template", "job", "base", "options", "inputs", "warnings", "not_compared"})
#: What follows from what is done.
_FOLLOWING = frozenset({"files", "inventory"})
#: By what the entries of lists are known.
_NAMES = ("key", "address", "instance", "name")
_LONGEST = 60
#: A path that begins where it stands, or in a URL, and ends there or has names in it; a dot may end a sentence.
_WHOLE = r"(?:(?<![\w.~+%%/-])|(?<=://))%s(?![\w~+%%-]|\.[\w.~+%%-])"


def plan_difference(saved: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The first difference of two plans' documents in what they do, or say of it; None if there is none.

    The documents may be of one ensemble in two folders. What a dry run predicted is not compared: only another dry run
    could tell whether it holds.
    """
    before, after = _folders(Path(str(saved["ensemble"])), Path(str(now["ensemble"])))
    moved = partial(re.compile(_WHOLE % re.escape(before)).sub, lambda _found: after)
    return _difference(_relocated(_compared(saved), moved), _compared(now), ())


def _compared(document: Mapping[str, Any]) -> dict[str, Any]:
    operations = [{name: one[name] for name in one if name != "prediction"} for one in document["operations"]]
    compared = {name: value for name, value in document.items() if name not in _ASIDE}
    return dict(sorted(compared.items(), key=lambda one: one[0] in _FOLLOWING)) | {"operations": operations}


def _difference(saved: Any, now: Any, way: tuple[str, ...]) -> str | None:
    if isinstance(saved, dict) and isinstance(now, dict):
        parts = [(name, saved.get(name), now.get(name)) for name in {**now, **saved}]
    elif isinstance(saved, list) and isinstance(now, list):
        pairs = enumerate(zip_longest(saved, now))
        parts = [(_name(one) or _name(other) or str(number), one, other) for number, (one, other) in pairs]
    elif saved == now:
        return None
    elif _as_text(saved) == _as_text(now):
        return f"{' '.join(way)} is {'missing in it' if saved is None else 'not as it is made now'}"
    else:
        return f"{' '.join(way)} is {_as_text(saved)} in it, and {_as_text(now)} by now"
    return next(filter(None, (_difference(one, other, (*way, name)) for name, one, other in parts)), None)


def _name(entry: Any) -> str | None:
    return next((str(entry[key]) for key in _NAMES if key in entry), None) if isinstance(entry, dict) else None


def _as_text(value: Any) -> str:
    """A value in a sentence; "something" for a list or a map."""
    if value is None or isinstance(value, dict | list):
        return "something" if value else "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _folders(saved: Path, now: Path) -> tuple[str, str]:
    """Two paths without the names at their ends that are the same."""
    while saved.name == now.name and len(saved.parts) > 2 and len(now.parts) > 2:
        saved, now = saved.parent, now.parent
    return str(saved), str(now)


def _relocated(value: Any, moved: Callable[[str], str]) -> Any:
    """The value with another folder in its texts."""
    if isinstance(value, dict):
        return {key: _relocated(item, moved) for key, item in value.items()}
    if isinstance(value, list):
        return [_relocated(item, moved) for item in value]
    return moved(value) if isinstance(value, str) else value
