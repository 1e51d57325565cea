"""What browsers are told."""

from __future__ import annotations

import json
from math import inf, nan

from ansible_ensemble.ui.answers import answer
from ansible_ensemble.ui.feed import message

VALUES = {"most": inf, "all": [-inf, {"none": nan}], "half": 0.5}
TOLD = {"most": ".inf", "all": ["-.inf", {"none": ".nan"}], "half": 0.5}


def _refused(word: str) -> None:
    raise AssertionError(f"no browser reads {word}")


def test_numbers_that_json_has_not_are_texts() -> None:
    for text in (str(answer(VALUES).text), message("changed", VALUES).partition("data: ")[2]):
        assert json.loads(text, parse_constant=_refused) == TOLD


def test_a_text_that_is_no_unicode_is_told_as_it_is() -> None:
    told = answer({"file": "bad\udcffname"}).body
    assert isinstance(told, bytes)
    assert json.loads(told) == {"file": "bad\udcffname"}
