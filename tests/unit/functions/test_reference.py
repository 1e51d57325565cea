from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.expressions.special import SPECIAL_KEYS
from ansible_ensemble.functions.reference import reference
from ansible_ensemble.language.functions import FunctionDeclaration, functions


def test_the_reference_lists_every_function_and_special_key() -> None:
    text = reference()
    for name in (*functions(), *SPECIAL_KEYS):
        assert f"`{name}`" in text


def test_the_published_reference_is_what_the_code_says(repository: Path) -> None:
    assert (repository / "docs" / "expressions.md").read_text() == reference()


@pytest.mark.parametrize("declared", dict(functions()).values(), ids=lambda declared: declared.name)
def test_the_examples_are_yaml_and_use_the_function(declared: FunctionDeclaration) -> None:
    data = parse_yaml(f"example: {declared.example}", "example").data["example"]
    inner = data.get("eval", data)
    name = next((one for one in declared.names if one in (*data, *inner)), None)
    assert name is not None
    assert declared.top or "eval" in data
    assert name in data or declared.fault(name, inner) is None
