"""Each question against the rules by which AWX takes a survey, and by which it takes an answer."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.reports.survey import survey

KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("text", "textarea", "password", "multiplechoice", "multiselect"), str),
    "integer": int,
    "float": (float, int),
}


def declared(**given: Any) -> dict[str, Any]:
    """An input as a document."""
    usual = {"name": "size", "type": "string", "entry": None, "description": "", "required": True, "secret": False}
    return {**usual, "constraints": [], **given}


def question(**given: Any) -> dict[str, Any]:
    """The one question about an input of a workflow, which AWX takes."""
    [found] = survey([], also=[declared(**given)])["spec"]
    assert isinstance(found["required"], bool)
    assert all(isinstance(found[key], str) for key in ("question_name", "question_description", "variable", "type"))
    assert found["default"] == "" or isinstance(found["default"], KINDS[found["type"]])
    assert all(found[key] is None or isinstance(found[key], int) for key in ("min", "max"))
    if found["type"] in ("multiplechoice", "multiselect"):
        assert all(isinstance(one, str) and len(one.splitlines()) == 1 for one in found["choices"])
        assert set(found["default"].splitlines()) <= set(found["choices"])
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"type": "text", "required": True, "default": "", "min": None, "max": None}),
        ({"required": False}, {"type": "text", "required": False, "min": 1}),
        ({"required": False, "default": "hi"}, {"type": "text", "default": "hi", "min": None}),
        ({"default": "a\nb"}, {"type": "textarea", "default": "a\nb"}),
        ({"default": 5}, {"type": "text", "default": "5"}),
        ({"constraints": [{"min_length": 2}, {"max_length": 8}]}, {"min": 2, "max": 8}),
        ({"constraints": [{"length": 4}]}, {"min": 4, "max": 4}),
        (
            {"type": "version", "default": "1.10"},
            {"type": "text", "default": "1.10", "question_description": "(version)"},
        ),
        ({"type": "any", "default": True}, {"type": "text", "default": "true"}),
        ({"type": "integer", "default": 0}, {"type": "integer", "default": 0}),
        ({"type": "integer", "required": False}, {"type": "integer", "default": "", "min": None}),
        ({"type": "integer", "constraints": [{"in_range": [1, "UNBOUNDED"]}]}, {"min": 1, "max": None}),
        ({"type": "integer", "constraints": [{"greater_than": 1}, {"less_than": 9}]}, {"min": 2, "max": 8}),
        ({"type": "integer", "constraints": [{"in_range": [1, 9]}, {"less_or_equal": 5}]}, {"min": 1, "max": 5}),
        ({"type": "integer", "constraints": [{"in_range": [{"get_input": "a"}, 9]}]}, {"min": None, "max": 9}),
        (
            {"type": "float", "default": 2, "constraints": [{"in_range": [0.5, 1.5]}]},
            {"type": "float", "min": 0, "max": 2},
        ),
        ({"type": "float", "constraints": [{"greater_than": 1.0}]}, {"min": 1}),
        (
            {"type": "boolean", "default": False},
            {"type": "multiplechoice", "choices": ["true", "false"], "default": "false"},
        ),
        ({"type": "boolean", "required": False}, {"type": "multiplechoice", "default": ""}),
        (
            {"constraints": [{"valid_values": ["a", "b"]}], "default": "b"},
            {"type": "multiplechoice", "choices": ["a", "b"], "default": "b"},
        ),
        (
            {"type": "integer", "constraints": [{"valid_values": [1, 2]}], "default": 2},
            {"choices": ["1", "2"], "default": "2"},
        ),
        ({"constraints": [{"valid_values": ["a", "b"]}, {"equal": "b"}]}, {"choices": ["b"]}),
        ({"constraints": [{"valid_values": ["a\nb", "c"]}]}, {"type": "text"}),
        ({"constraints": [{"pattern": "[a-z]+"}]}, {"type": "text", "question_description": "(pattern: [a-z]+)"}),
        (
            {"type": "list", "default": ["a", 1]},
            {"type": "textarea", "default": '["a", 1]', "question_description": "(YAML: a list)"},
        ),
        (
            {
                "type": "list",
                "entry": {"type": "string", "constraints": [{"valid_values": ["a", "b"]}]},
                "default": ["b", "a"],
            },
            {"type": "multiselect", "choices": ["a", "b"], "default": "b\na"},
        ),
        (
            {"type": "map", "default": {"a": {"b": 1}}, "description": "More\nof it"},
            {"type": "textarea", "default": '{"a": {"b": 1}}', "question_description": "More of it (YAML: a map)"},
        ),
        ({"type": "map", "required": False}, {"type": "textarea", "min": 1}),
        ({"type": "range", "default": [1, "UNBOUNDED"]}, {"type": "textarea", "default": '[1, "UNBOUNDED"]'}),
        ({"type": "json", "default": "{}"}, {"type": "textarea", "default": "{}"}),
        ({"secret": True, "constraints": [{"min_length": 8}]}, {"type": "password", "default": "", "min": 8}),
        ({"secret": True, "default": "canary", "required": False}, {"type": "password", "default": "", "min": 1}),
        ({"type": "integer", "secret": True, "constraints": [{"in_range": [1, 9]}]}, {"type": "password", "min": None}),
    ],
)
def test_a_question(given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = question(**given)
    assert found["variable"] == "input_size"
    assert {key: found[key] for key in expected} == expected


def test_without_inputs_there_is_no_survey() -> None:
    assert survey([]) == {}


def test_inputs_that_last_are_asked_for_without_an_answer_that_awx_would_give() -> None:
    inputs = [
        declared(name="size", type="integer", required=False, default=1, description="How many"),
        declared(name="title", required=False, default=""),
        declared(name="safe", type="boolean", required=False, default=False),
        declared(name="name"),
        declared(name="key", required=False, default="canary", secret=True),
    ]
    found = survey(inputs)["spec"][:-1]
    assert {one["default"] for one in found} == {""}
    assert [(one["required"], one["min"], one["question_description"]) for one in found] == [
        (False, None, "How many (unanswered: as deployed, at first 1)"),
        (False, 1, '(unanswered: as deployed, at first "")'),
        (False, None, "(unanswered: as deployed, at first false)"),
        (True, None, ""),
        (False, 1, ""),
    ]


def test_people_choose_inputs_that_go_back_to_what_the_ensemble_has() -> None:
    found = survey([declared(name="size", type="integer"), declared(name="key", secret=True)])["spec"][-1]
    assert (found["variable"], found["type"], found["choices"]) == (
        "ensemble_reset_inputs",
        "multiselect",
        ["size", "key"],
    )
    assert (found["required"], found["default"]) == (False, "")


def test_jobs_that_do_not_begin_with_the_inputs_propose_nothing() -> None:
    inputs = [declared(name="size", type="integer", default=1), declared(name="text")]
    own = [declared(name="text", type="integer"), declared(name="to")]
    found = survey(inputs, begins=False, also=own)["spec"]
    assert [(one["variable"], one["type"], one["required"], one["default"]) for one in found] == [
        ("input_size", "integer", False, ""),
        ("input_text", "integer", True, ""),
        ("input_to", "text", True, ""),
    ]
