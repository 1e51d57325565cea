"""TOSCA 2.0 in the words of 1.3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.yaml import parse_yaml, read_yaml
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.version_2 import VERSION_2, in_words_of_1_3

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("version_2.yaml")).data


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_version_2(case: dict[str, Any]) -> None:
    problems = Problems()
    made = in_words_of_1_3(case["two"], problems)
    assert [error.message for error in problems.errors] == case.get("errors", [])
    if "one" in case:
        assert made == {**case["one"], "tosca_definitions_version": VERSION_2}


def test_every_error_has_its_place() -> None:
    problems = Problems()
    in_words_of_1_3(CASES[-1]["two"], problems)
    assert all(error.place is not None and error.place.line for error in problems.errors)


def test_what_is_renamed_keeps_its_place() -> None:
    data = parse_yaml(
        "tosca_definitions_version: tosca_2_0\nservice_template:\n  inputs:\n    a: {type: nil}\n", ""
    ).data
    made = in_words_of_1_3(data, Problems())
    place = place_of(made["topology_template"]["inputs"], "a")
    assert place is not None
    assert (place.line, place.column) == (4, 8)
