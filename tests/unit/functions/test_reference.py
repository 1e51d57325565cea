from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.expressions.context import Function
from ansible_ensemble.expressions.special import SPECIAL_KEYS
from ansible_ensemble.functions.reference import reference
from ansible_ensemble.functions.table import function_table


def test_the_reference_lists_every_function_and_special_key() -> None:
    text = reference()
    for name in (*function_table(), *SPECIAL_KEYS):
        assert f"`{name}`" in text


def test_the_published_reference_is_what_the_code_says(repository: Path) -> None:
    assert (repository / "docs" / "expressions.md").read_text() == reference()


@pytest.mark.parametrize("function", function_table().values(), ids=lambda function: function.name)
def test_the_examples_are_yaml_and_use_the_function(function: Function) -> None:
    example = re.search(r"Example: `(.*)`", function.doc)
    assert example is not None
    data = parse_yaml(f"example: {example.group(1)}", "example").data["example"]
    inner = data.get("eval", data)
    names = [other.name for other in function_table().values() if other.run is function.run]
    assert function.name == "foreach" or set(inner) & set(names)
    assert function.top or "eval" in data
