"""Sprig's functions, by a table that Go confirms (tests/integration/provision/templates)."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.templates.rendering import Rendering
from tests.integration.provision.templates.generated import DATA

CALLS = yaml.load((Path(__file__).parent / "calls.yaml").read_text(), yaml.CSafeLoader)


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[call for call, _ in CALLS])
def test_call(call: str, expected: str | None) -> None:
    rendering = Rendering({})
    if expected is None:
        with pytest.raises(TemplateError, match=r"^template: t:1"):
            rendering.text("t", f"{{{{{call}}}}}", copy.deepcopy(DATA))
    else:
        assert rendering.text("t", f"{{{{{call}}}}}", copy.deepcopy(DATA)) == expected


@pytest.mark.parametrize("name", ["env", "expandenv", "now", "ago", "getHostByName", "genPrivateKey"])
def test_what_there_is_not(name: str) -> None:
    with pytest.raises(TemplateError, match=f'function "{name}" not defined'):
        Rendering({}).text("t", f"{{{{{name}}}}}", None)


@pytest.mark.parametrize(
    ("call", "length"),
    [("randAlpha 5", 5), ("randNumeric 9", 9), ("uuidv4", 36), ("shuffle `abc`", 3), ("randBytes 3", 4)],
)
def test_chance(call: str, length: int) -> None:
    assert len(Rendering({}).text("t", f"{{{{{call}}}}}", None)) == length
