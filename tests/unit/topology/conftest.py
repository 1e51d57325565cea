"""A short way to load a template that stands in a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.topology.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load a template: its text without the version, and options of `load_topology`; `files` lie beside it."""

    def load_text(text: str, unfurl: bool = False, files: dict[str, str] | None = None, **options: Any) -> Topology:
        for name, content in (files or {}).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        version = "tosca_simple_unfurl_1_0_0" if unfurl else "tosca_simple_yaml_1_3"
        whole = f"tosca_definitions_version: {version}\n{text}"
        return load_topology(parse_yaml(whole, tmp_path / "service.yaml"), **options)

    return load_text
