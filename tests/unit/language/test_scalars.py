from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.language.scalars import scalar_value, seconds, timestamp_value, version_value


@pytest.mark.parametrize(
    ("text", "type_name", "value"),
    [
        ("4 MiB", "scalar-unit.size", 4 * 1024**2),
        ("4MB", "scalar-unit.size", 4_000_000),
        ("10 gib", "scalar-unit.size", 10 * 1024**3),
        ("7 b", "scalar-unit.size", 7),
        ("1 TiB", "scalar-unit.size", 1024**4),
        ("5 ms", "scalar-unit.time", 0.005),
        (".5 d", "scalar-unit.time", 43200),
        ("60 sec", "scalar-unit.time", 60),
        ("2.4 GHz", "scalar-unit.frequency", 2.4e9),
        ("120 hz", "scalar-unit.frequency", 120),
        ("10 Mbps", "scalar-unit.bitrate", 10e6),
        ("10 MBps", "scalar-unit.bitrate", 80e6),
        ("1 Kibps", "scalar-unit.bitrate", 1024),
        ("-1 s", "scalar-unit.time", -1),
        ("1 GB", "scalar-unit", 1e9),
        ("4 MiB", "scalar-unit.time", None),
        ("4", "scalar-unit.size", None),
        ("4 parsecs", "scalar-unit.size", None),
        (4, "scalar-unit.size", None),
        ("", "scalar-unit.size", None),
    ],
)
def test_scalar_value(text: Any, type_name: str, value: float | None) -> None:
    assert scalar_value(text, type_name) == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(60, 60), (1.5, 1.5), ("60", 60), ("5 m", 300), ("soon", None), (True, None), (None, None), ([], None)],
)
def test_seconds(value: Any, expected: float | None) -> None:
    assert seconds(value) == expected


def test_versions_are_in_order() -> None:
    ordered = ["0", "1.2.3.alpha-1", "1.2.3.beta-4", "1.2.3.beta-5", "1.2.3", "1.10", "2", 2.5]
    values = [version_value(one) for one in ordered]
    assert None not in values
    assert values == sorted(values)  # type: ignore[type-var]


@pytest.mark.parametrize("value", ["", "one", "1.", "1.2.3.4.5", True, None, [1], "1.2-3"])
def test_not_a_version(value: Any) -> None:
    assert version_value(value) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1970-01-02", 86400),
        ("1970-01-01T00:00:01Z", 1),
        ("1970-01-01t01:00:00+01:00", 0),
        ("1970-01-01 01:00:00 +1", 0),
        ("1970-01-01T00:00:00.5", 0.5),
        ("2001-12-14t21:59:43.10-05:00", 1008385183.1),
        ("1970-13-01", None),
        ("yesterday", None),
        (1970, None),
    ],
)
def test_timestamp_value(text: Any, value: float | None) -> None:
    assert timestamp_value(text) == value
