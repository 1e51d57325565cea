from __future__ import annotations

import io
import os

import pytest

from ansible_ensemble.core.output import drop, outlive_reader


@pytest.mark.parametrize("buffering", [1, 8192])
def test_what_nobody_reads_is_dropped(buffering: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering, encoding="utf-8") as stream:
        outlive_reader(stream)
        for _ in range(3):
            stream.write("word " * 5000 + "\n")
            stream.flush()


def test_what_somebody_reads_is_written() -> None:
    stream = io.StringIO()
    outlive_reader(stream)
    print("word", file=stream, flush=True)
    assert stream.getvalue() == "word\n"


def test_a_stream_that_is_no_file_has_nothing_to_drop() -> None:
    drop(io.StringIO())
    outlive_reader(None)  # type: ignore[arg-type]  # Python has no stdout where the file was closed before
