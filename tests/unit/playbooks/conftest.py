from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ansible_ensemble.lanes.session import standalone_session
from ansible_ensemble.playbooks.importing import import_plays

INVENTORY = """\
web:
  hosts:
    w1: {root: /srv/w1}
    w2: {root: /srv/w2}
db:
  hosts:
    d1:
"""

Import = Callable[[Mapping[str, str]], Any]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """Write files, import `site.yml` of them: the `nodes`, the `files` as data, and the `rows`."""

    def run(files: Mapping[str, str]) -> Any:
        for name, text in {"hosts.yml": INVENTORY, **files}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        session = standalone_session(tmp_path / "hosts.yml", base=tmp_path)
        found = import_plays([tmp_path / "site.yml"], session)
        data = {name: yaml.safe_load(text) for name, text in found.files.items()}
        template = data["service-template.yaml"]["topology_template"]
        return SimpleNamespace(
            nodes=template["node_templates"],
            groups=template.get("groups", {}),
            files=data,
            rows=found.rows,
            remarks=found.remarks,
            texts=found.files,
        )

    return run
