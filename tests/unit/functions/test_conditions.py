"""Conditions that are evaluated while files are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.functions.conditions import is_met
from ansible_ensemble.topology.service_template import load_topology

TYPES = "tosca_definitions_version: tosca_simple_unfurl_1_0_0\nnode_types: {T: {}}\n"
SERVICE = """\
tosca_definitions_version: %s
imports: [{file: types.yaml, when: %s}]
topology_template: {node_templates: {t: {type: T}}}
"""
UNFURL = "tosca_simple_unfurl_1_0_0"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def made(condition: str, version: str = UNFURL) -> Path:
        (tmp_path / "types.yaml").write_text(TYPES)
        (tmp_path / "service.yaml").write_text(SERVICE % (version, condition))
        return tmp_path / "service.yaml"

    return made


@pytest.mark.parametrize(
    "condition",
    ["true", "{eval: {is_function_defined: concat}}", "{eval: {eq: [{q: a}, {q: a}]}}", "{concat: [a, b]}"],
)
def test_what_is_met_is_imported(write: Callable[..., Path], condition: str) -> None:
    topology = load_topology(write(condition), is_met=is_met)
    assert [file.name for file in topology.files] == ["service.yaml", "types.yaml"]


@pytest.mark.parametrize(
    "condition", ["false", "{eval: {is_function_defined: nope}}", "{eval: '::gone'}", "{eval: {not: {q: a}}}"]
)
def test_what_is_not_met_is_not_there(write: Callable[..., Path], condition: str) -> None:
    with pytest.raises(InvalidInput, match="T"):
        load_topology(write(condition), is_met=is_met)
    (file := write(condition)).with_name("types.yaml").unlink()
    file.write_text(file.read_text().replace("type: T}", "type: Root}"))
    assert load_topology(file, is_met=is_met).files == [file]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("{get_env: HOME}", "cannot be known while files are read"),
        ("{eval: {lookup: {pipe: 'touch made'}}}", "cannot be known while files are read"),
        ("{eval: {template: '{{ 1 }}'}}", "cannot be known while files are read"),
        ("{get_input: x}", 'there is no input "x"'),
        ("{eval: {nope: 1}}", 'there is no function "nope"'),
        ("7", "not an expression"),
        ("'.nope'", 'there is no special key ".nope"'),
        ("", "not an expression"),
        ("{eval: .primary_provider, vars: [1]}", "the vars of a condition must be a map, not a list"),
    ],
)
def test_what_is_no_condition_is_refused(write: Callable[..., Path], condition: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        load_topology(write(condition), is_met=is_met)
    errors: Any = getattr(caught.value, "errors", [caught.value])
    assert errors[0].place.line == 2
    assert not write(condition).with_name("made").exists()


PROVIDER = {"primary_provider": {"type": "cloud.AWS", "name": "x"}}


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        (".primary_provider", True),
        ("'.primary_provider[type=cloud.AWS]'", True),
        ("'.primary_provider[type=cloud.GCP]'", False),
        ("{eval: '.primary_provider::name'}", True),
        ("{eval: '.primary_provider::missing'}", False),
    ],
)
def test_the_connection_to_the_cloud_is_known(
    write: Callable[..., Path], tmp_path: Path, condition: str, met: bool
) -> None:
    file = write(condition)
    file.write_text(file.read_text().replace("{t: {type: T}}", "{}"))
    known = partial(is_met, connections=PROVIDER)
    assert (tmp_path / "types.yaml" in load_topology(file, is_met=known).files) is met
    assert load_topology(file, is_met=is_met).files == [file]


def test_other_dialects_have_none(write: Callable[..., Path]) -> None:
    with pytest.raises(InvalidInput, match="of Unfurl's dialect"):
        load_topology(write("true", "tosca_simple_yaml_1_3"), is_met=is_met)
