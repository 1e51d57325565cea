"""Whatever text a user gives, each function of the room ends in a right result or in an error for the user."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.documents.ensemble_schema import check_ensemble
from ansible_ensemble.documents.merge import expand
from ansible_ensemble.documents.writer import DELETE, replace_entries, same
from ansible_ensemble.documents.yaml import Document, parse_yaml

PIECES = ["a", "b", "x: 1", "status: ", ": ", "- ", "{", "}", "[", "]", ", ", "'", '"', "&x ", "*x", "!vault ", "|\n"]
PIECES += ["|+\n", ">-\n", "#", "<<: ", "? ", "1", "~", "é", "\n", "\n  ", "\n    ", "\n- ", "raw", "whiteout", "merge"]
PIECES += ["error", "+/a: ", "+*x: ", "+&: ", "+%: ", "+..: ", "+./b: ", "+?/a/b: ", "+/: "]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
CHANGES: list[dict[str, Any]] = [
    {"a": {"q": [1, "x"]}},
    {"b": DELETE},
    {"new": "l\nm\n", "a": DELETE},
    {"status": {"instances": {}}},
]


@given(TEXTS, st.sampled_from(CHANGES), st.booleans())
def test_any_text(text: str, changes: dict[str, Any], prove: bool) -> None:
    try:
        document = parse_yaml(text, "x.yaml")
    except InvalidInput:
        return
    for function in (expand, check_ensemble):
        try:
            function(document)
        except InvalidInput as error:
            assert error.message
    if isinstance(document.data, dict):
        edit(document, changes, prove)


def edit(document: Document, changes: dict[str, Any], prove: bool) -> None:
    expected = {key: value for key, value in {**document.data, **changes}.items() if value is not DELETE}
    try:
        after = replace_entries(document, (), changes, prove=prove)
    except EnsembleError as error:
        assert "cannot be edited safely" in error.message
        return
    assert same(parse_yaml(after, "x.yaml").data, expected)
