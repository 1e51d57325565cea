"""What becomes of the objects that the role made in AWX: removed when they are not wanted any more."""

from __future__ import annotations

import pytest

from tests.awx.client import Awx
from tests.awx.conftest import Site

pytestmark = pytest.mark.timeout(3600)

ENDPOINTS = (
    *("projects", "inventories", "inventory_sources", "credentials", "execution_environments", "schedules"),
    *("job_templates", "workflow_job_templates", "notification_templates"),
)


def names(awx: Awx) -> set[tuple[str, str]]:
    """What is in AWX by the name of the project."""
    return {
        (endpoint, one["name"])
        for endpoint in ENDPOINTS
        for one in awx.all(f"{endpoint}/")
        if f"{one['name']} ".startswith("web ")
    }


def test_absent_removes_what_the_role_made(web: Site) -> None:
    made = names(web.awx)
    assert len(made) > len(ENDPOINTS)
    would, output = web.set_up("--check", awx_state="absent")
    assert names(web.awx) == made, output
    changed, output = web.set_up(awx_state="absent")
    assert names(web.awx) == {("credentials", "web project")}, output
    assert changed == would > 5
    changed, output = web.set_up(awx_state="absent")
    assert changed == 0, output
