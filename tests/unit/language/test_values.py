from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.language.entities import Schema
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.types import Types
from ansible_ensemble.language.values import check_value, violation
from ansible_ensemble.topology.definitions import build_type


@pytest.fixture(scope="module")
def types() -> Types:
    return Types(Problems(), build_type)


FITS: list[tuple[str, Any]] = [
    *(("string", one) for one in ("", "x", 1, 1.5, "{{ x }}", {"get_input": "a"}, {"eval": "::a"})),
    *(("integer", one) for one in (0, -1, 10**30)),
    *(("float", one) for one in (1, 1.5, float("inf"))),
    *(("boolean", one) for one in (True, False, "yes", "Off")),
    *(("list", one) for one in ([], [1, "x"])),
    *(("map", one) for one in ({}, {"a": 1}, {1: 2})),
    *(("range", one) for one in ([1, 2], [1, "UNBOUNDED"], ["UNBOUNDED", 5])),
    *(("json", one) for one in ('{"a": [1]}', "1", {"a": 1}, [1])),
    ("xml", "<a><b/></a>"),
    ("version", 1.2),
    ("timestamp", "2001-12-14t21:59:43.10-05:00"),
    ("any", None),
    ("tosca.datatypes.Credential", {"token": "x"}),
    ("tosca.datatypes.network.PortDef", 65535),
    ("tosca.datatypes.network.PortSpec", {"protocol": "udp", "target_range": [1, 100]}),
    ("tosca.datatypes.TimeInterval", {"start_time": "2020-01-01", "end_time": "2021-01-01"}),
    ("tosca.datatypes.json", '{"a": 1}'),
]

FAULTS: list[tuple[str, Any, str]] = [
    ("string", True, "true is not of type string"),
    ("string", [], "a list is not of type string"),
    ("integer", 1.5, "1.5 is not of type integer"),
    ("integer", True, "true is not of type integer"),
    ("integer", None, "it is empty, it must be of type integer"),
    ("float", "1.5", "'1.5' is not of type float"),
    ("boolean", "y", "'y' is not of type boolean"),
    ("boolean", 1, "1 is not of type boolean"),
    ("list", {}, "a map is not of type list"),
    ("map", [], "a list is not of type map"),
    ("range", [2, 1], "a list is not of type range"),
    ("range", [1], "a list is not of type range"),
    ("json", "{", "'{' is not of type json"),
    ("xml", "<a>", "'<a>' is not of type xml"),
    ("version", "x", "'x' is not of type version"),
    ("timestamp", "x", "'x' is not of type timestamp"),
    ("scalar-unit.size", "4", "'4' is not of type scalar-unit.size"),
    ("tosca.datatypes.network.PortDef", 0, "0 violates in_range: [1, 65535]"),
    ("tosca.datatypes.network.PortSpec", {"protocol": "ip"}, "at protocol: 'ip' violates valid_values"),
    ("tosca.datatypes.network.PortSpec", {"target_range": [0, 1]}, "at target_range: a list violates in_range"),
    ("tosca.datatypes.Credential", {}, "the field 'token' of tosca.datatypes.Credential is missing"),
    ("tosca.datatypes.Credential", {"token": 1}, "at token: <<REDACTED>> is not of type string"),
    ("tosca.datatypes.Credential", "x", "<<REDACTED>> is not a map of type tosca.datatypes.Credential"),
]


@pytest.mark.parametrize(("name", "value"), FITS)
def test_fits(types: Types, name: str, value: Any) -> None:
    assert check_value(value, Schema(name), types, "it") == []


@pytest.mark.parametrize(("name", "value", "message"), FAULTS)
def test_fault(types: Types, name: str, value: Any, message: str) -> None:
    found = check_value(value, Schema(name), types, "it")
    assert [message in error.message for error in found] == [True]


def test_entries_and_keys_are_checked_with_their_path(types: Types) -> None:
    schema = Schema("map", key_schema=Schema("string", constraints=[{"max_length": 2}]))
    schema.entry_schema = Schema("list", entry_schema=Schema("integer"))
    found = check_value({"a": [1], "abc": ["x", 2]}, schema, types, "it")
    assert [error.message for error in found] == [
        "it at abc (the key): 'abc' violates max_length: 2",
        "it at abc[0]: 'x' is not of type integer",
    ]


@pytest.mark.parametrize(
    ("value", "clause", "base", "holds"),
    [
        (1, {"equal": 1}, "integer", True),
        (1, {"equal": True}, "integer", False),
        ("1 GB", {"equal": "1000 MB"}, "scalar-unit.size", True),
        ("1 GB", {"greater_than": "999 MB"}, "scalar-unit.size", True),
        ("1 GB", {"greater_than": "1 GB"}, "scalar-unit.size", False),
        ("1 GB", {"greater_or_equal": "1 GB"}, "scalar-unit.size", True),
        (5, {"less_than": 5}, "integer", False),
        (5, {"less_or_equal": 5}, "integer", True),
        ("1.10", {"greater_than": "1.9"}, "version", True),
        ("2020-01-02", {"less_than": "2020-01-01T12:00:00Z"}, "timestamp", False),
        (5, {"in_range": [1, "UNBOUNDED"]}, "integer", True),
        (0, {"in_range": [1, "UNBOUNDED"]}, "integer", False),
        ([2, 3], {"in_range": [1, 5]}, "range", True),
        ([2, 6], {"in_range": [1, 5]}, "range", False),
        ("b", {"valid_values": ["a", "b"]}, "string", True),
        ("c", {"valid_values": ["a", "b"]}, "string", False),
        ("ab", {"length": 2}, "string", True),
        ([1], {"min_length": 2}, "list", False),
        ({"a": 1}, {"max_length": 1}, "map", True),
        ("abc", {"pattern": "[a-c]+"}, "string", True),
        ("abcd", {"pattern": "[a-c]+"}, "string", False),
        ('{"a": 1}', {"schema": '{"type": "object", "required": ["a"]}'}, "json", True),
        ("[]", {"schema": '{"type": "object"}'}, "json", False),
        (5, {"less_than": {"get_input": "x"}}, "integer", True),
    ],
)
def test_constraint(value: Any, clause: dict[str, Any], base: str, holds: bool) -> None:
    assert (violation(value, clause, base) is None) is holds


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("hunter2", Schema("integer")),
        ("hunter2", Schema("string", constraints=[{"min_length": 9}])),
        (["hunter2"], Schema("list", entry_schema=Schema("integer"))),
        ("hunter2", Schema("tosca.datatypes.Credential")),
    ],
)
def test_what_may_be_a_secret_is_in_no_error(types: Types, value: Any, schema: Schema) -> None:
    (fault,) = check_value(value, schema, types, "it", hidden=True)
    assert "<<REDACTED>>" in fault.message
    assert "hunter2" not in str(fault)


def test_a_field_that_is_named_as_a_secret_is_in_no_error(types: Types) -> None:
    (fault,) = check_value({"token": 31337}, Schema("tosca.datatypes.Credential"), types, "it")
    assert fault.message == "it at token: <<REDACTED>> is not of type string"
