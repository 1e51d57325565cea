"""A document that is JSON stays JSON when it is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.documents.writer import replace_entries, rewrite
from ansible_ensemble.documents.yaml import parse_yaml

STATUS = {"a": [1, 2.5, True, None, "é"], "b": {}}


@pytest.mark.parametrize(("text", "indent"), [('{"x": 1}', 2), ('{\n    "x": {"y": []}\n}\n', 4), ('{\r\n "x": 1}', 1)])
def test_json_stays_json(text: str, indent: int) -> None:
    written = replace_entries(text, [], {"status": STATUS})
    assert json.loads(written) == {**json.loads(text), "status": STATUS}
    assert f'\n{" " * indent}"status": {{\n' in written


@pytest.mark.parametrize("text", ["{x: 1}", '{"x": 1.10}', "x: 1\n"])
def test_other_text_stays_what_it_is(text: str) -> None:
    written = replace_entries(text, [], {"status": STATUS})
    assert text.strip("{}") in written
    assert parse_yaml(written, "").data["status"] == STATUS


@pytest.mark.parametrize("value", [VaultText("$ANSIBLE_VAULT;1.1;AES256\n31\n"), float("inf"), {1: 2}])
def test_what_json_has_not_makes_it_yaml(value: Any) -> None:
    document = parse_yaml('{"x": 1}', Path("ensemble.json"))
    written = rewrite(document, {"x": 1, "status": value})
    assert parse_yaml(written, "").data == {"x": 1, "status": value}


def test_secrets_are_not_written() -> None:
    with pytest.raises(EnsembleError, match="in clear"):
        replace_entries('{"x": 1}', [], {"status": mark_sensitive("s3cret")})
