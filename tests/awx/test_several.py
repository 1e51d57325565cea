"""Two ensembles in AWX, of which one uses what the other made."""

from __future__ import annotations

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
