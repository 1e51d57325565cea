"""Numbers that are written in another way than Python writes them."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.scalars import as_read, as_written, is_written, with_texts
from ansible_ensemble.documents.yaml import parse_yaml

NUMBERS = [("1.10", 1.1), ("1e3", 1000.0), ("007", 7), ("0x1F", 31), ("0o10", 8), ("+5", 5), ("-.50", -0.5)]


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_a_number_keeps_its_text(text: str, number: float) -> None:
    value = parse_yaml(f"v: &v {text}\nw: *v", "x").data["w"]
    assert value == number
    assert as_written(value) == text
    for twin in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (twin, as_written(twin)) == (number, text)


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_what_is_handed_on_is_a_plain_number(text: str, number: float) -> None:
    value = as_read(text)
    assert type(reveal([value])[0]) is type(number)
    assert json.loads(json.dumps(value)) == number
    assert with_texts({"a": [value]}) == {"a": [text]}


@pytest.mark.parametrize("text", ["1.1", "5", "-7", "true", "x", "", "1.10.1"])
def test_others_are_what_they_are(text: str) -> None:
    assert not is_written(as_read(text))
