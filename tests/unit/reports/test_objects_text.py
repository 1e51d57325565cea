"""Objects of a server of machines as people read them."""

from __future__ import annotations

import pytest

from ansible_ensemble.reports.objects_text import (
    duration_text,
    object_text,
    objects_text,
    seconds_between,
    value_at,
)
from ansible_ensemble.reports.style import Style

SEALED = {"Key": "a", "Nonce": "b", "Payload": "c"}
STAGE = {
    "Name": "greet",
    "BootEnv": "",
    "Tasks": ["a", "b"],
    "Bundle": "\x1b[31mpack",
    "Description": "long " * 20,
    "Params": {"word": SEALED, "x.y": 1},
    "OS": {"Name": "debian"},
    "Reboot": False,
    "RunnerWait": True,
}


def test_a_table_has_its_columns_and_cuts_what_is_long() -> None:
    head, row = objects_text("stages", [STAGE], ("Name", "BootEnv", "Tasks", "Bundle", "Description")).splitlines()
    assert head.split() == ["NAME", "BOOTENV", "TASKS", "BUNDLE", "DESCRIPTION"]
    assert row.split()[:3] == ["greet", "a,b", "\\x1b[31mpack"]
    assert row.endswith("…")


def test_cells_may_be_whole() -> None:
    columns = ["Name", "Params.word", "Params", "OS.Name", "Reboot", "RunnerWait", "Nothing.here"]
    _, row = objects_text("stages", [STAGE], columns, whole=True).splitlines()
    assert row.split() == ["greet", "(sealed)", "word,x.y", "debian", "yes"]


def test_colours_tell_good_from_bad() -> None:
    rows = [{"Name": "a", "State": "complete"}, {"Name": "b", "State": "failed"}]
    text = objects_text("machines", rows, ["Name", "State"], Style(colour=True))
    assert "\x1b[32mcomplete" in text
    assert "\x1b[31mfailed" in text


def test_nothing_is_said_to_be_nothing() -> None:
    assert objects_text("jobs", [], ("Uuid",)) == "There are no jobs.\n"


def test_an_object_is_what_is_set_of_it() -> None:
    text = object_text(STAGE)
    assert text.splitlines()[:2] == ["Name: greet", "Tasks: [a, b]"]
    assert "word: (sealed)" in text
    assert "BootEnv" not in text
    assert "\x1b" not in text
    assert "BootEnv:" in object_text(STAGE, every=True)


@pytest.mark.parametrize(
    ("path", "value"), [("Name", "greet"), ("Params.x.y", 1), ("OS.Name", "debian"), ("OS.x.y", None), ("Name.x", None)]
)
def test_a_value_is_found_by_its_path(path: str, value: object) -> None:
    assert value_at(STAGE, path) == value


@pytest.mark.parametrize(
    ("seconds", "text"), [(-3, "0s"), (9.9, "9s"), (60, "1m00s"), (125, "2m05s"), (3599, "59m59s"), (3720, "1h02m")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:01:00.5Z", 60.5),
        ("0001-01-01T00:00:00Z", "2026-01-01T00:01:00Z", None),
        ("2026-01-01T00:00:00Z", "", None),
        ("soon", "later", None),
    ],
)
def test_the_time_between(start: str, end: str, seconds: float | None) -> None:
    assert seconds_between(start, end) == seconds
