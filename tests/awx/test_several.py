"""Several ensembles in AWX, of which one uses what another made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.awx.conftest import Site

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def edge(web: Site) -> Site:
    """The second ensemble of the project, with templates of its own, and a workflow over both."""
    web.set_up("-e", "@edge.yml")
    organization = web.awx.named("organizations", "Default")["id"]
    workflow = web.awx.ask("workflow_job_templates/", {"name": "both", "organization": organization})
    second, first = (
        web.awx.ask(
            f"{workflow['url']}workflow_nodes/",
            {"identifier": name, "unified_job_template": web.awx.named("job_templates", name)["id"]},
        )
        for name in ("edge deploy", "web deploy")
    )
    web.awx.ask(f"{first['url']}success_nodes/", {"id": second["id"]})
    return web


def test_a_workflow_deploys_one_with_what_the_other_made(edge: Site) -> None:
    edge.run("web deploy", input_text="of the web")
    workflow = edge.awx.ended(edge.awx.launch("both", endpoint="workflow_job_templates"))
    nodes = edge.awx.all(f"{workflow['url']}workflow_nodes/")
    outputs = [edge.awx.output(edge.awx.ask(f"jobs/{node['job']}/")) for node in nodes if node["job"]]
    assert workflow["status"] == "successful", outputs
    assert edge.found("page") == {"web1": "of the web"}
    edge.run("edge check")
    assert "There was nothing to do." in edge.run("edge deploy")[1]


FILES = {
    "shop/ensemble-project.yaml": """\
environments:
  defaults:
    state: {git: STATE, branch: shop}
    external: {front: front/ensemble.yaml, stock: stock/ensemble.yaml}
""",
    "shop/front/service.yaml": """\
inputs:
  title: {type: string, default: open}
resources:
  sign:
    module: ansible.builtin.copy
    args:
      dest: /srv/web1/sign
      content: {concat: [{get_input: title}, " with ", {eval: {external: stock}, select: "outputs::items"}]}
""",
    "shop/stock/service.yaml": """\
inputs:
  items: {type: integer, default: 3}
resources:
  shelf:
    module: ansible.builtin.copy
    args: {dest: /srv/web1/shelf, content: {get_input: items}}
outputs:
  items: {value: {get_input: items}}
""",
}
FRONT, STOCK = "shop/front/service.yaml", "shop/stock/service.yaml"
SHOP: dict[str, Any] = {
    "awx_name": "shop",
    "awx_ensemble": FRONT,
    "awx_further_ensembles": [STOCK],
    "awx_inventory": "",
    "awx_workflows": ["deploy", "check"],
    "awx_notification_type": "",
}


@pytest.fixture(scope="module")
def shop(web: Site) -> Site:
    """One set of templates for two ensembles; the first uses what the second made."""
    web.write(**{name: text.replace("STATE", f"{web.url}/state.git") for name, text in FILES.items()})
    web.set_up(**SHOP, awx_update_secrets=True)
    project = web.awx.named("projects", "shop project")
    web.awx.change(project, scm_update_cache_timeout=86400)
    return web


def on_web1(site: Site) -> tuple[str | None, str | None]:
    return site.found("sign").get("web1"), site.found("shelf").get("web1")


def test_all_are_deployed_in_the_order_in_which_they_use_each_other(shop: Site) -> None:
    workflow = shop.awx.ended(shop.awx.launch("shop all", endpoint="workflow_job_templates"))
    nodes = {node["identifier"]: node for node in shop.awx.all(f"{workflow['url']}workflow_nodes/")}
    jobs = {name: shop.awx.ask(f"jobs/{node['job']}/") for name, node in nodes.items() if node["job"]}
    assert workflow["status"] == "successful", [shop.awx.output(job) for job in jobs.values()]
    assert nodes[STOCK]["success_nodes"] == [nodes[FRONT]["id"]]
    assert jobs[STOCK]["finished"] < jobs[FRONT]["started"]
    assert on_web1(shop) == ("open with 3", "3")


def test_each_template_asks_for_the_ensemble(shop: Site) -> None:
    with pytest.raises(AssertionError, match="'ensemble' value missing"):
        shop.awx.launch("shop deploy")
    shop.run("shop deploy", ensemble=STOCK, input_items=5)
    shop.run("shop deploy", ensemble=FRONT, input_title="closed")
    assert on_web1(shop) == ("closed with 5", "5")


def test_a_plan_of_the_chosen_ensemble_is_approved_and_deployed(shop: Site) -> None:
    workflow = shop.awx.launch("shop", endpoint="workflow_job_templates", ensemble=STOCK, input_items=7)
    asked = shop.awx.approval(workflow)
    shop.awx.ask(f"{asked['url']}approve/", {})
    assert shop.awx.ended(workflow)["status"] == "successful"
    assert on_web1(shop) == ("closed with 5", "7")


def test_each_ensemble_has_its_check(shop: Site) -> None:
    schedules = {name: shop.awx.named("schedules", name) for name in ("shop check", f"shop check {STOCK}")}
    assert [one["extra_data"] for one in schedules.values()] == [{"ensemble": FRONT}, {"ensemble": STOCK}]
    job, output = shop.attempt("shop check", ensemble=FRONT)
    assert job["status"] == "failed", "what it uses has changed since"
    assert [output.count(one) for one in ("TASK [sign: check]", "TASK  INSTANCE", "Drift, recorded")] == [1, 1, 1]
    shop.run("shop check", ensemble=STOCK)


def test_a_second_run_for_several_ensembles_changes_nothing(shop: Site) -> None:
    changed, output = shop.set_up(**SHOP)
    assert changed == 0, output


def test_absent_removes_what_is_for_several_ensembles(shop: Site) -> None:
    shop.removes_all("shop", **{key: value for key, value in SHOP.items() if key != "awx_name"})
