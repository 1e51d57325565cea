"""Where the path of a file changes, what was made under the old one is deleted, or said to stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.jobs.planned import make_plan

ENSEMBLE = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status:
  instances:
    page:
      template: page
      readyState: {local: %s, state: configured}
      properties: {path: /old, content: x, args: {dest: /old, content: x}}
"""
TEMPLATE = "{type: file.Template, properties: {path: %s, content: x}}"
COPY = "{module: copy, args: {dest: /new, content: x}%s}"
CREATED = "      created: A6BN64gG0001\n"


def planned(folder: Path, node: str, *, workflow: str = "deploy", more: str = CREATED, status: str = "ok") -> Any:
    """The change of the page, and what its delete operation is given."""
    (folder / "service.yaml").write_text(f"resources: {{page: {node}}}\n")
    (folder / "ensemble.yaml").write_text(ENSEMBLE % status + more)
    document = make_plan(str(folder), workflow, {}).document
    given = [one.get("inputs") or {} for one in document["operations"] if one["operation"] == "delete"]
    return document["resource_changes"], given


@pytest.mark.parametrize("status", ["ok", "error"])
@pytest.mark.parametrize(
    ("node", "why"), [(TEMPLATE % "/new", "path changed"), (COPY % "", "args.dest changed")], ids=["template", "copy"]
)
def test_it_is_deleted_by_its_recorded_path(tmp_path: Path, node: str, why: str, status: str) -> None:
    (change,), given = planned(tmp_path, node, status=status)
    assert (change["symbol"], change["reason"]) == ("-/+", why)
    assert given == [{"path": "/old"}]
    name = why.partition(".")[0].partition(" ")[0]
    assert "/old" in str(change["change"]["before"][name])
    assert "/new" in str(change["change"]["after"][name])


def test_so_does_an_undeploy(tmp_path: Path) -> None:
    assert planned(tmp_path, COPY % "", workflow="undeploy")[1] == [{"path": "/old"}]


@pytest.mark.parametrize("path", ["/old", "/./old", "/x/../old/"])
def test_another_way_to_write_it_is_no_other_file(tmp_path: Path, path: str) -> None:
    changes, given = planned(tmp_path, TEMPLATE % path)
    assert [one["symbol"] for one in changes] in ([], ["~"])
    assert given == []


@pytest.mark.parametrize(
    ("node", "more"),
    [
        (COPY % ", absent: {module: command, args: {cmd: rm /new}}", CREATED),
        (COPY % ", directives: [protected]", CREATED),
        (COPY % "", CREATED + "      protected: true\n"),
        (COPY % "", ""),
    ],
    ids=["removed in a way of its own", "directive", "protected", "adopted"],
)
def test_what_stays_is_said(tmp_path: Path, node: str, more: str) -> None:
    (change,), given = planned(tmp_path, node, more=more, status="error")
    assert (change["symbol"], given) == ("~", [])
    assert change["reason"].endswith("; what it made at /old stays")
