"""Schemas of params."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.rules.schemas import problem_of_schema, problem_of_value


def _nested(depth):
    schema = {}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({}, ""),
        (True, ""),
        ({"type": "string", "default": "x"}, ""),
        ({"type": "strange"}, "invalid schema: 'strange' is not valid under any of the given schemas"),
        ([], "invalid schema: it must be a map, and its $schema a text"),
        ({"type": "string", "default": 7}, "invalid default: 7 is not of type 'string'"),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True}, ""),
        ({"minimum": 1, "exclusiveMinimum": True}, "invalid schema: True is not of type 'number'"),
        ({"pattern": "^[a-z]{2,300}$"}, ""),
        (
            {"properties": {"a": {"pattern": "("}}},
            "invalid schema: '(' is not a 'regex': error parsing regexp: missing ): (",
        ),
        (
            {"patternProperties": {"(?=a)": {}}},
            "invalid schema: '(?=a)' is not a 'regex': error parsing regexp: invalid perl operator: (?=",
        ),
        ({"$schema": 7}, "invalid schema: it must be a map, and its $schema a text"),
    ],
)
def test_problem_of_schema(schema, problem):
    assert problem_of_schema(schema) == problem


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        (None, object(), ""),
        ({}, 7, ""),
        (False, 7, "False schema does not allow 7"),
        ({"type": "integer"}, True, "True is not of type 'integer'"),
        ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": ["x", 1]}, "['a'][1]: 1 is not of type 'string'"),
        ({"$ref": "https://127.0.0.1:1/x"}, 7, "the schema refers to https://127.0.0.1:1/x, which is not in it"),
        ({"$ref": "#/$defs/no"}, 7, "the schema refers to /$defs/no, which is not in it"),
        ({"$ref": "#"}, 7, "value or schema are nested too deep"),
        ({"pattern": "^a+$"}, 7, ""),
        ({"pattern": "^a+$"}, "aab", "'aab' does not match '^a+$'"),
        ({"patternProperties": {"^a": {"type": "null"}}}, {"b": 1, "ab": 1}, "['ab']: 1 is not of type 'null'"),
        ({"uniqueItems": True}, [{"a": 1}, {"a": 1}], "[{'a': 1}, {'a': 1}] has non-unique elements"),
        ({"uniqueItems": True}, [{"a": 1}, {"a": True}], ""),
        ({"definitions": {"n": {"type": "null"}}, "$ref": "#/definitions/n"}, None, ""),
        ({"pattern": "("}, "x", "the schema cannot be applied: error parsing regexp: missing ): ("),
    ],
)
def test_problem_of_value(schema, value, problem):
    assert problem_of_value(schema, value) == problem


def test_a_schema_that_is_nested_too_deep_is_told():
    assert "nested too deep" in problem_of_schema(_nested(900))


_TWICE = {f"d{n}": {"allOf": [{"$ref": f"#/definitions/d{n + 1}"}] * 2} for n in range(40)}


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"pattern": "^(a+)+$"}, "a" * 5000 + "!", "does not match '^(a+)+$'"),
        ({"patternProperties": {"^(a|aa)+$": {"type": "null"}}}, {"a" * 5000 + "!": 1}, ""),
        ({"uniqueItems": True}, [{"a": number} for number in range(50_000)], ""),
        ({"definitions": {**_TWICE, "d40": {}}, "$ref": "#/definitions/d0"}, 7, "value or schema are nested too deep"),
    ],
    ids=["pattern", "patternProperties", "uniqueItems", "$ref"],
)
def test_no_schema_takes_for_ever(schema, value, problem):
    assert problem_of_value(schema, value).endswith(problem)
