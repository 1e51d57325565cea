from __future__ import annotations

import pytest

from ansible_ensemble.cli.values import inputs_of, value_of, variables_of
from ansible_ensemble.core.errors import InvalidInput, UsageError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8080", 8080),
        ("1.5", 1.5),
        ("true", True),
        ("null", None),
        ("", ""),
        ("1.10", "1.10"),
        ("007", "007"),
        ("0x1f", "0x1f"),
        ("yes", "yes"),
        ("a: b", {"a": "b"}),
        ("[1, a]", [1, "a"]),
        ("'8080'", "8080"),
        ("{{ x }}", "{{ x }}"),
        ("[broken", "[broken"),
        ("# a", "# a"),
        ("two\nlines: 1", "two\nlines: 1"),
    ],
)
def test_values(text, value):
    assert value_of(text) == value
    assert type(value_of(text)) is type(value) or isinstance(value, (dict, list))


def test_files_come_before_single_inputs(tmp_path):
    file = tmp_path / "inputs.yaml"
    file.write_text("port: 1\nname: x\n", encoding="utf-8")
    assert inputs_of([str(file)], ["port=2"]) == {"port": 2, "name": "x"}


def test_a_version_in_a_file_is_kept_as_it_is_written(tmp_path):
    file = tmp_path / "inputs.yaml"
    file.write_text("version: 1.10\nall: [1.20, 1.5]\n", encoding="utf-8")
    assert inputs_of([str(file)], []) == {"version": "1.10", "all": ["1.20", 1.5]}


def test_an_empty_file_is_a_mistake(tmp_path):
    file = tmp_path / "inputs.yaml"
    file.write_text("# nothing yet\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="the file is empty"):
        inputs_of([str(file)], [])


def test_a_file_that_is_no_map(tmp_path):
    file = tmp_path / "inputs.yaml"
    file.write_text("- a\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="holds no map"):
        inputs_of([str(file)], [])


def test_a_missing_file():
    with pytest.raises(InvalidInput, match="there is no file"):
        variables_of(["@/no/such/file"], [])


@pytest.mark.parametrize("text", ["port", "=80"])
def test_an_input_needs_a_name_and_a_value(text):
    with pytest.raises(UsageError, match="sets no input"):
        inputs_of([], [text])


def test_a_value_may_hold_equals_signs():
    assert inputs_of([], ["query=a=b"]) == {"query": "a=b"}
    assert variables_of(["query=a=b"], []) == {"query": "a=b"}
