from __future__ import annotations

import shutil
import subprocess

import pytest

from ansible_ensemble.reports.graph import dot, mermaid


@pytest.mark.parametrize("operations", [False, True])
def test_dot(document, expect, operations):
    expect(f"plan{'-operations' if operations else ''}.dot", dot(document("plan"), operations=operations))


@pytest.mark.parametrize("operations", [False, True])
def test_mermaid(document, expect, operations):
    expect(f"plan{'-operations' if operations else ''}.mmd", mermaid(document("plan"), operations=operations))


def test_names_cannot_break_out(document):
    plan = document("plan")
    plan["resource_changes"][0]["address"] = 'a"]; x["<script>'
    assert '\\"]; x[\\"' in dot(plan)
    assert "<script>" not in mermaid(plan)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("operations", [False, True])
def test_graphviz_understands_it(document, operations):
    text = dot(document("plan"), operations=operations)
    subprocess.run(["dot", "-Tsvg"], input=text, text=True, check=True, stdout=subprocess.DEVNULL)


def test_an_empty_plan_is_an_empty_graph(document):
    plan = document("plan") | {"resource_changes": [], "operations": []}
    assert "->" not in dot(plan)
    assert mermaid(plan) == "flowchart TB\n"
