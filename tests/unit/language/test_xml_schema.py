"""Values by schemas of XML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.language.scalars import is_xml
from ansible_ensemble.language.xml_schema import fits_xml_schema, schema_fault
from ansible_ensemble.language.xml_texts import BUILT_IN, FACETS

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("xml_schemas.yaml")).data


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_schema(case: dict[str, Any]) -> None:
    head = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" {case.get("attributes", "")}>'
    schema = f"{head}{case['schema']}</xs:schema>"
    assert is_xml(schema)
    assert case.get("fault", "") in (schema_fault(schema) or "")
    assert (schema_fault(schema) is None) is ("fault" not in case)
    assert [text for text in case.get("fits", ["<a/>"]) if not fits_xml_schema(text, schema)] == (
        ["<a/>"] if "fault" in case else []
    )
    assert [text for text in case.get("misfits", []) if fits_xml_schema(text, schema)] == []


TEXTS = [
    ("byte", "-128", "128"),
    ("unsignedLong", "18446744073709551615", "-1"),
    ("boolean", "0", "yes"),
    ("double", "-1.5E3", "1,5"),
    ("float", "-INF", "inf"),
    ("dateTime", "2024-01-01T10:00:00", "10:00"),
    ("time", "10:00:00", "25:00:00"),
    ("NCName", "a-b.c", "1a"),
    ("NMTOKEN", "1:a", "a b"),
    ("nonPositiveInteger", "0", "1"),
]


@pytest.mark.parametrize(("name", "good", "bad"), TEXTS)
def test_built_in_types(name: str, good: str, bad: str) -> None:
    assert BUILT_IN[name](good)
    assert not BUILT_IN[name](bad)


LIMITS = [
    ("minExclusive", "1", "1.1", "1"),
    ("maxInclusive", "1", "1", "2"),
    ("minInclusive", "1", "1", "x"),
    ("length", "2", "ab", "abc"),
]


@pytest.mark.parametrize(("name", "value", "good", "bad"), LIMITS)
def test_facets(name: str, value: str, good: str, bad: str) -> None:
    assert FACETS[name](value)(good)
    assert not FACETS[name](value)(bad)


def test_other_text_is_no_schema_of_xml() -> None:
    assert schema_fault("<a/>") == "it is no XML schema"
    assert not is_xml('{"type": "object"}')
