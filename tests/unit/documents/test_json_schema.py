from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.json_schema import fits, schema_fault

DRAFT4 = "http://json-schema.org/draft-04/schema#"


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, 5, True),
        ({"type": "integer"}, "5", False),
        (False, 5, False),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"minimum": 3}}}, 2, False),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, {"type": 5}, False),
        ({"$schema": DRAFT4, "maximum": 3, "exclusiveMaximum": True}, 3, False),
    ],
)
def test_a_value_fits_or_not(schema: Any, value: Any, expected: bool) -> None:
    assert schema_fault(schema) is None
    assert fits(value, schema) is expected


@pytest.mark.parametrize("schema", [5, None, "{}", [], {"$schema": []}, {"type": "objet"}])
def test_what_is_no_schema_is_refused(schema: Any) -> None:
    assert schema_fault(schema)
    with pytest.raises(InvalidInput, match="this is no JSON Schema"):
        fits(5, schema)


def test_a_schema_without_an_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match="refers to itself"):
        fits(5, {"$ref": "#"})


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param(lambda file: "#/nowhere", id="nothing"),
        pytest.param(Path.as_uri, id="a file"),
        pytest.param(lambda file: "http://192.0.2.1/x", id="another machine"),
    ],
)
def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: Callable[[Path], str]) -> None:
    fetched: list[Any] = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *given, **named: fetched.append(given))
    file = tmp_path / "schema.json"
    file.write_text('{"type": "integer"}')
    with pytest.raises(InvalidInput, match="refers to what is not in it"):
        fits("text", {"$ref": reference(file)})
    assert not fetched
