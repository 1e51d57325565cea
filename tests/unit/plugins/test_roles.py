"""Each role says what Galaxy, Automation Hub and the documentation's site ask of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

ROLES = sorted((Path(__file__).parents[3] / "roles").iterdir())


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_role_has_a_page_and_says_what_it_takes(role: Path) -> None:
    page = (role / "README.md").read_text()
    assert page.startswith(f"# tosca.ensemble.{role.name}\n")
    assert f"variables_of {role.name} (make generate)" in page
    entries = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    assert {file.stem for file in (role / "tasks").glob("*.yml")} >= entries.keys() >= {"main"}
    assert all(entry["short_description"] and entry["description"] for entry in entries.values())
    assert yaml.safe_load((role / "meta" / "main.yml").read_text())["galaxy_info"]["license"] == "GPL-3.0-or-later"
