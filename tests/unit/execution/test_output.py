"""Output within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.execution.output import BoundedOutput


@given(chunks=st.lists(st.binary(max_size=30)), limit=st.integers(2, 40).map(lambda n: n * 2))
def test_head_and_tail_are_kept(chunks: list[bytes], limit: int) -> None:
    output = BoundedOutput(limit)
    for chunk in chunks:
        output.add(chunk)
    everything = b"".join(chunks)
    assert output.total == len(everything)
    assert output.cut == max(len(everything) - limit, 0)
    if not output.cut:
        assert output.text() == everything.decode("utf-8", "replace")


@given(text=st.text(min_size=60), limit=st.integers(4, 40), size=st.integers(1, 9))
def test_no_character_is_torn(text: str, limit: int, size: int) -> None:
    data = text.encode()
    output = BoundedOutput(limit)
    for begin in range(0, len(data), size):
        output.add(data[begin : begin + size])
    head, _, tail = output.text().partition(f"\n[... {output.cut} bytes cut ...]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len((head + tail).encode()) >= limit - 7


@pytest.mark.parametrize("limit", [0, 1])
def test_some_is_always_kept(limit: int) -> None:
    output = BoundedOutput(limit)
    output.add(b"abc")
    assert output.text() == "a\n[... 1 bytes cut ...]\nc"
