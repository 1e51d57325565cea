"""Templates of a project that is not trusted: attacks as data, and what templates may still do."""

from __future__ import annotations

import os
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.expressions import templates

_CASES: dict[str, list[Any]] = yaml.load((Path(__file__).parent / "attacks.yaml").read_text(), yaml.CSafeLoader)
_SOON = 20  # seconds: without a bound it would be minutes


@pytest.fixture
def stranger(model: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CANARY", "hunter2")
    model.environment.trusted = False
    return model


@pytest.mark.parametrize("template", _CASES["leave"])
def test_no_template_leaves_the_sandbox(stranger: Any, template: str) -> None:
    try:
        given = str(stranger.evaluate(template, "app"))
    except EnsembleError as error:
        given = str(error) + str(error.hint)
    else:
        assert not any(word in given for word in ("__", "<class", "<module", "frame", "environ(", "builtin", "<bound"))
        assert " at 0x" not in given, "a place in memory"
    assert "hunter2" not in given
    assert os.environ["PATH"] not in given


@pytest.mark.parametrize("template", _CASES["endless"])
def test_no_template_goes_on_without_end(stranger: Any, template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "_SECONDS", 0.3)
    begun = process_time()
    with pytest.raises(InvalidInput):
        stranger.evaluate(template, "app")
    assert process_time() - begun < _SOON


@pytest.mark.parametrize(("template", "expected"), _CASES["plain"])
def test_what_is_as_in_a_trusted_project(model: Any, template: str, expected: Any) -> None:
    assert model.evaluate(template, "app") == expected
    model.environment.trusted = False
    assert model.evaluate(template, "app") == expected
