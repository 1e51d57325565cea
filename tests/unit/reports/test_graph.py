from __future__ import annotations

import shutil
import subprocess

import pytest

from ansible_ensemble.reports.graph import dot, graph_of, grouped, mermaid
from ansible_ensemble.reports.style import WEB


@pytest.mark.parametrize("operations", [False, True])
def test_dot(document, expect, operations):
    expect(f"plan{'-operations' if operations else ''}.dot", dot(graph_of(document("plan"), operations=operations)))


@pytest.mark.parametrize("operations", [False, True])
def test_mermaid(document, expect, operations):
    expect(f"plan{'-operations' if operations else ''}.mmd", mermaid(graph_of(document("plan"), operations=operations)))


def test_names_cannot_break_out(document):
    plan = document("plan")
    plan["resource_changes"][0]["address"] = 'a"]; x["<script>'
    assert '\\"]; x[\\"' in dot(graph_of(plan))
    assert "<script>" not in mermaid(graph_of(plan))


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("operations", [False, True])
def test_graphviz_understands_it(document, operations):
    text = dot(graph_of(document("plan"), operations=operations))
    subprocess.run(["dot", "-Tsvg"], input=text, text=True, check=True, stdout=subprocess.DEVNULL)


def test_an_empty_plan_is_an_empty_graph(document):
    plan = document("plan") | {"resource_changes": [], "operations": []}
    assert "->" not in dot(graph_of(plan))
    assert mermaid(graph_of(plan)) == "flowchart LR\n"


INSTANCES = [
    {"name": "web1", "status": "ok", "state": "created", "needs": []},
    {"name": "app", "status": "error", "state": "starting", "needs": ["web1", "db", "elsewhere"]},
    {"name": "db", "status": "absent", "state": None, "needs": ["web1"]},
]


def test_what_does_not_change_is_drawn_with_its_status():
    plan = {"resource_changes": [], "operations": [], "instances": INSTANCES}
    graph = graph_of(plan)
    assert [(box.title, box.words) for box in graph.boxes] == [
        ("web1", "ok (created)"),
        ("app", "error (starting)"),
        ("db", "absent"),
    ]
    assert graph.edges == [(0, 1), (0, 2), (2, 1)], "from what is needed to what needs it"
    assert len({box.colour for box in graph.boxes}) == 3


def test_what_changes_says_what_becomes_of_it(document):
    plan = document("plan")
    name = plan["resource_changes"][0]["address"]
    there = {"name": name, "status": "ok", "state": None, "needs": []}
    plan["instances"] = [there, {**there, "name": "other", "needs": [name]}]
    graph = graph_of(plan)
    assert [(box.title, box.words) for box in graph.boxes].count((f"+ {name}", "will be created (new)")) == 1
    assert any((box.title, box.words) == ("other", "ok") for box in graph.boxes)


def test_an_undeploy_is_drawn_in_its_own_order():
    operations = [
        {"key": f"{name}:Standard.delete", "instance": name, "waits_for": waits, "waits_end": []}
        for name, waits in (("app", []), ("web1", ["app:Standard.delete"]))
    ]
    graph = graph_of({"resource_changes": [], "operations": operations, "instances": INSTANCES[:2]})
    assert [(graph.boxes[a].title, graph.boxes[b].title) for a, b in graph.edges] == [("app", "web1")]


def test_instances_of_a_group_are_one_box():
    graph = grouped(
        graph_of({"resource_changes": [], "operations": [], "instances": INSTANCES}), {"app": "x", "db": "x"}
    )
    assert [(box.name, box.words) for box in graph.boxes] == [("web1", "ok (created)"), ("x", "2 instances")]
    assert graph.boxes[1].colour == WEB["red"], "that of the one that is worst"
    assert graph.edges == [(0, 1)], "edges within the group are not drawn"
