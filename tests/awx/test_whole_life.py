"""What becomes of the objects that the role made in AWX: removed when they are not wanted any more."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.awx.client import URL, Awx
from tests.awx.conftest import ENDPOINTS, VAULT, Site

pytestmark = pytest.mark.timeout(3600)

Headers = dict[str, str]

MORE: dict[str, Any] = {
    "awx_operators": ["ops"],
    "awx_requesters": ["developers"],
    "awx_approvers": ["ops", "managers"],
    "awx_labels": ["ensembles"],
    "awx_instance_groups": ["default"],
    "awx_webhook_service": "github",
    "awx_approval_timeout": 3600,
    "awx_galaxy_credential": {"url": "https://hub.example/api/galaxy/", "token": VAULT},
    "awx_galaxy_credentials": ["web galaxy", "Ansible Galaxy"],
    "awx_schedules": [
        {
            "name": "window",
            "template": "deploy",
            "rrule": "DTSTART:20300105T010000Z RRULE:FREQ=WEEKLY;INTERVAL=1",
            "variables": {"input_size": 3},
        }
    ],
}


@pytest.fixture(scope="module")
def more(web: Site) -> Site:
    """The project, with all kinds of objects that there may be."""
    changed, output = web.set_up("--check", **MORE)
    assert changed > 1, output
    web.set_up(**MORE | {"awx_update_secrets": True})
    web.variables |= MORE
    return web


def test_a_second_run_with_all_kinds_of_objects_changes_nothing(more: Site) -> None:
    changed, output = more.set_up()
    assert changed == 0, output


def test_the_exported_playbook_changes_nothing(more: Site) -> None:
    changed, output = more.exported()
    assert changed == 0, output


def as_user(site: Site, name: str, team: str) -> Awx:
    """AWX as a user of a team sees it."""
    organization = site.awx.named("organizations", "Default")
    for old in site.awx.all("users/", username=name):
        site.awx.ask(old["url"], method="DELETE")
    user = site.awx.ask("users/", {"username": name, "password": VAULT})
    site.awx.ask(f"{organization['url']}users/", {"id": user["id"]})
    site.awx.ask(f"{site.awx.named('teams', team)['url']}users/", {"id": user["id"]})
    return Awx(site.awx.folder, basic=f"{name}:{VAULT}")


def test_teams_may_do_what_they_are_to_do(more: Site) -> None:
    operator, requester, manager = (as_user(more, f"{team}-user", team) for team in ("ops", "developers", "managers"))
    templates = {one["name"] for one in more.awx.all("job_templates/") if one["name"].startswith("web ")}
    assert {one["name"] for one in operator.all("job_templates/")} == templates
    assert requester.all("job_templates/") == []
    with pytest.raises(AssertionError, match="403"):
        manager.launch("web", endpoint="workflow_job_templates")
    workflow = requester.launch("web", endpoint="workflow_job_templates", input_size=4)
    asked = more.awx.approval(workflow)
    with pytest.raises(AssertionError, match="403"):
        requester.ask(f"{asked['url']}approve/", {})
    manager.ask(f"{asked['url']}approve/", {})
    assert more.awx.ended(workflow)["status"] == "successful"
    assert {'"size": 4' in text for text in more.found("settings").values()} == {True}


def github(key: str, pushed: bytes) -> Headers:
    return {
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": "0" * 8,
        "X-Hub-Signature": f"sha1={hmac.new(key.encode(), pushed, 'sha1').hexdigest()}",
    }


def gitlab(key: str, _pushed: bytes) -> Headers:
    return {"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": key}


@pytest.mark.parametrize("service", [gitlab, github])
def test_a_push_launches_the_workflow(more: Site, service: Callable[[str, bytes], Headers]) -> None:
    more.set_up(awx_webhook_service=service.__name__)
    template = more.awx.named("workflow_job_templates", "web")
    key = more.awx.ask(template["related"]["webhook_key"])["webhook_key"]
    pushed = json.dumps({"ref": "refs/heads/main", "after": "1" * 40}).encode()
    headers = {"Content-Type": "application/json", **service(key, pushed)}
    with urlopen(Request(f"{URL}{template['related']['webhook_receiver']}", pushed, headers), timeout=60) as answer:
        assert answer.status == 202
    launched = {"launch_type": "webhook", "webhook_service": service.__name__}
    workflow = more.awx.wait("the workflow", lambda: next(iter(more.awx.all("workflow_jobs/", **launched)), None))
    asked = more.awx.approval(workflow)
    more.awx.ask(f"{asked['url']}approve/", {})
    assert more.awx.ended(workflow)["status"] == "successful"


def test_labels_groups_schedules_and_galaxy_are_there(more: Site) -> None:
    deploy = more.awx.named("job_templates", "web deploy")
    assert [one["name"] for one in more.awx.all(deploy["related"]["labels"])] == ["ensembles"]
    assert [one["name"] for one in more.awx.all(deploy["related"]["instance_groups"])] == ["default"]
    assert more.approval()["timeout"] == 3600
    window = more.awx.named("schedules", "web window")
    assert (window["unified_job_template"], window["extra_data"]) == (deploy["id"], {"input_size": 3})
    organization = more.awx.named("organizations", "Default")
    galaxies = more.awx.all(organization["related"]["galaxy_credentials"])
    assert [one["name"] for one in galaxies] == ["web galaxy", "Ansible Galaxy"]


def test_what_is_changed_by_hand_is_put_back_or_kept(more: Site) -> None:
    def change() -> None:
        more.awx.change(more.awx.named("job_templates", "web check"), verbosity=1, description="by hand")

    def described() -> str:
        return str(more.awx.named("job_templates", "web check")["description"])

    change()
    changed, output = more.set_up(awx_keep=["job_templates"])
    assert (changed, described()) == (0, "by hand"), output
    changed, output = more.set_up()
    assert (changed, described()) == (1, ""), output


def test_a_project_and_an_inventory_by_the_name_of_the_workflow_are_renamed(more: Site) -> None:
    kinds = {"projects": "web project", "inventories": "web inventory"}
    found = {endpoint: more.awx.named(endpoint, name) for endpoint, name in kinds.items()}
    for one in found.values():
        more.awx.change(one, name="web")
    for arguments in (("--check",), ()):
        changed, output = more.set_up(*arguments)
        assert changed == 2, output
    assert {endpoint: more.awx.ask(one["url"])["name"] for endpoint, one in found.items()} == kinds
    more.run("web check")


def test_a_rename_leaves_the_state_where_it_is(more: Site) -> None:
    more.run("web deploy")
    more.set_up(awx_name="site", awx_update_secrets=True)
    more.set_up(awx_state="absent")
    assert more.names("web") == set()
    _, output = more.run("site deploy")
    assert "There was nothing to do." in output
    more.set_up(awx_name="site", awx_state="absent")
    more.set_up(awx_update_secrets=True)


def test_absent_removes_what_the_role_made_and_leaves_what_others_use(more: Site) -> None:
    labels, teams = (
        [one["name"] for one in more.awx.all(f"{endpoint}/", name__in="ensembles,ops,developers,managers")]
        for endpoint in ("labels", "teams")
    )
    assert {one for one, _name in more.names("web")} == {*ENDPOINTS}
    assert more.removes_all("web", awx_keep=["notifications", "schedules"]) > 5
    changed, output = more.set_up(awx_state="absent")
    assert changed == 0, output
    assert [one["name"] for one in more.awx.all("labels/", name="ensembles")] == labels == ["ensembles"]
    assert {one["name"] for one in more.awx.all("teams/")} >= {*teams} == {"ops", "developers", "managers"}
    organization = more.awx.named("organizations", "Default")
    assert [one["name"] for one in more.awx.all(organization["related"]["galaxy_credentials"])] == ["Ansible Galaxy"]


def test_an_organization_that_is_not_there_is_made(more: Site) -> None:
    given: dict[str, Any] = {"awx_organization": "Field", "awx_name": "field", "awx_galaxy_credentials": []}
    more.set_up(**given, awx_update_secrets=True)
    changed, output = more.set_up(**given)
    assert changed == 0, output
    more.set_up(**given, awx_state="absent")
    assert more.names("field") == set()
