"""What modules return, whatever its size."""

from __future__ import annotations

import json
import re
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_ensemble.lanes.returned import ReturnedJson, cut, weight

CUT = re.compile(r"\n\[\.\.\. (\d+) bytes cut \.\.\.\]\n")
TEXTS = st.text(st.sampled_from('a"\\/\n\té中😀u0'), max_size=300)
DATA = st.recursive(st.none() | st.integers() | TEXTS, lambda some: st.lists(some) | st.dictionaries(TEXTS, some))


def returned(document: bytes, size: int, **limits: int) -> bytes:
    output = ReturnedJson(**limits)
    for start in range(0, len(document), size):
        output.add(document[start : start + size])
    return output.content()


def check_same_but_cut(real: Any, kept: Any, limit: int) -> None:
    """What was kept is what there was, but for the middles of long texts."""
    if isinstance(real, str):
        parts = CUT.split(kept) if len(real) * 12 > limit else [kept]
        if len(parts) == 1:
            assert kept == real
        else:
            head, _, tail = parts
            assert real.startswith(head)
            assert real.endswith(tail)
            assert len(head.encode()) + len(tail.encode()) <= limit
    elif isinstance(real, dict):
        assert len(kept) <= len(real)  # long keys may have become the same
        for (key, value), (kept_key, kept_value) in zip(real.items(), kept.items(), strict=False):
            if len(kept) == len(real):
                check_same_but_cut(key, kept_key, limit)
                check_same_but_cut(value, kept_value, limit)
    elif isinstance(real, list):
        for value, kept_value in zip(real, kept, strict=True):
            check_same_but_cut(value, kept_value, limit)
    else:
        assert kept == real


@example(data="0" * 13 + "\\ud800" + "0" * 60, size=50, ascii_only=True)  # a backslash, which JSON escapes, and letters
@given(DATA, st.integers(1, 50), st.booleans())
def test_a_large_result_stays_json_wherever_it_is_cut(data: Any, size: int, ascii_only: bool) -> None:
    document = json.dumps({"result": data}, ensure_ascii=ascii_only).encode()
    # cut from the first byte on, and what remains is not too large
    output = ReturnedJson(limit=0, text_limit=40)
    output._limit, output._cutting = 1_000_000, True
    for start in range(0, len(document), size):
        output.add(document[start : start + size])
    check_same_but_cut({"result": data}, json.loads(output.content()), 40)


@pytest.mark.parametrize("size", [7, 100_000])
def test_below_the_limit_nothing_is_touched(size: int) -> None:
    document = b'warning "\n' + json.dumps({"a": "x" * 90_000}).encode()
    assert returned(document, size, limit=100_100, text_limit=10) == document


def test_a_quote_before_the_document_does_no_harm() -> None:
    document = b"it's 5\" long\n" + json.dumps({"a": "x" * 500}).encode()
    kept = returned(document, 16, limit=300, text_limit=100)
    assert kept.startswith(b'it\'s 5" long\n{"a": "xxx')
    assert len(json.loads(kept.splitlines()[1])["a"]) < 150


def test_much_that_is_no_long_text_is_left_out() -> None:
    kept = json.loads(returned(json.dumps(list(range(1000))).encode(), 64, limit=1000))
    assert kept["failed"] is True
    assert "its result is left out" in kept["msg"]


def test_what_is_held_does_not_grow_with_what_is_returned() -> None:
    chunk = b"line of output\\n\\u4e2d" * 3000
    output = ReturnedJson()
    tracemalloc.start()
    try:
        output.add(b'{"changed": true, "stdout": "')
        for _ in range(1600):  # 100 MB
            output.add(chunk)
        output.add(b'", "rc": 0}')
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    result = json.loads(output.content())
    assert (result["changed"], result["rc"]) == (True, 0)
    assert result["stdout"].startswith("line of output\n中line")
    assert result["stdout"].endswith("line of output\n中")
    assert CUT.search(result["stdout"])
    assert peak < 60_000_000


def test_long_texts_and_lists_of_a_result() -> None:
    value = {"stdout": "a" * 30 + "z" * 30, "lines": list(range(20)), "rc": 0, "deep": [{"x": "short"}]}
    assert weight(value) > 60
    assert cut(value, 40, 4) == {
        "stdout": "a" * 20 + "\n[... 20 characters cut ...]\n" + "z" * 20,
        "lines": [0, 1, "[... 16 items cut ...]", 18, 19],
        "rc": 0,
        "deep": [{"x": "short"}],
    }
