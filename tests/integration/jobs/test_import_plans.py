"""An import plans what it wrote, and says what keeps it from being planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.jobs.import_playbooks import import_playbooks
from ansible_ensemble.reports.import_text import import_text
from ansible_ensemble.reports.style import Style

CASES = {
    "hosts: localhost, tasks: [{debug: {msg: a}}]": "",
    "hosts: localhost, vars_prompt: [{name: who}], tasks: [{debug: {}}]": "no value is given for the input",
    "hosts: localhost, tasks: [{group: {name: a, state: installed}}]": "is 'installed', which is none of its choices",
}


@pytest.mark.parametrize(("play", "problem"), CASES.items())
def test_what_is_said_to_be_next(tmp_path: Path, play: str, problem: str) -> None:
    (tmp_path / "site.yml").write_text(f"- {{{play}}}\n")
    found = import_playbooks([str(tmp_path / "site.yml")], {"inventory": ["localhost,"]})
    text = import_text(found, Style(), [])
    assert ("Next:" in text) == (not problem)
    assert problem in text
