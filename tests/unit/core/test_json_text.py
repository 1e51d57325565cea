"""JSON that every reader takes."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import pytest

from ansible_ensemble.core.json_text import json_text


def _refused(word: str) -> None:
    raise AssertionError(f"JSON has no {word}")


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (
            {"most": inf, "all": [-inf, nan], "half": 0.5},
            '{"most": ".inf", "all": ["-.inf", ".nan"], "half": 0.5}',
        ),
        ((nan, True, None), '[".nan", true, null]'),
        ({inf: 1, 2: inf}, '{".inf": 1, "2": ".inf"}'),
    ],
)
def test_what_json_has_not_is_a_text(document: Any, told: str) -> None:
    assert json_text(document) == told
    assert json.loads(json_text(document, indent=2), parse_constant=_refused) == json.loads(told)
