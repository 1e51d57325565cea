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
      properties: {path: /old, content: x, module: %s, args: %s}
"""
TEXT = "{dest: /old, content: x}"
TEMPLATE = "{type: file.Template, properties: {path: %s, content: x}}"
COPY = "{module: copy, args: {dest: /new, content: x}%s}"
CREATED = "      created: A6BN64gG0001\n"


def planned(
    folder: Path,
    node: str,
    *,
    workflow: str = "deploy",
    more: str = CREATED,
    status: str = "ok",
    was: tuple[str, str] = ("copy", TEXT),
) -> Any:
    """The change of the page, and what its delete operation is given."""
    (folder / "service.yaml").write_text(f"resources: {{page: {node}}}\n")
    (folder / "ensemble.yaml").write_text(ENSEMBLE % (status, *was) + more)
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


@pytest.mark.parametrize(
    ("node", "was"),
    [
        (COPY % "", ("copy", "{dest: /old, src: app/}")),
        (COPY % "", ("template", "{dest: /old, src: a.j2}")),
        ("{module: file, args: {path: /old/data, state: directory}}", ("file", "{path: /old, state: directory}")),
        ("{module: file, args: {path: /new, state: touch}}", ("file", "{path: /old, state: touch}")),
        ("{module: copy, args: {dest: /new, src: page}}", ("copy", "{dest: /old, src: page}")),
    ],
    ids=["a folder was copied", "another module", "a folder with what is in it", "touched", "maybe into a folder"],
)
def test_what_may_be_a_folder_stays(tmp_path: Path, node: str, was: tuple[str, str]) -> None:
    (tmp_path / "page").write_text("x")
    (change,), given = planned(tmp_path, node, was=was, status="error")
    assert (change["symbol"], given) == ("~", [])
    assert change["reason"].endswith("; what it made at /old stays")


def test_a_folder_is_undeployed_where_it_was_made(tmp_path: Path) -> None:
    node, was = "{module: file, args: {path: /new, state: directory}}", ("file", "{path: /old, state: directory}")
    assert planned(tmp_path, node, was=was, workflow="undeploy")[1] == [{"path": "/old"}]


def test_it_is_undeployed_where_it_was_made_though_it_was_changed_by_hand(tmp_path: Path) -> None:
    assert planned(tmp_path, COPY % "", workflow="undeploy", more=CREATED + "      customized: true\n")[1] == [
        {"path": "/old"}
    ]


def test_what_another_one_makes_there_stays(tmp_path: Path) -> None:
    changes, given = planned(
        tmp_path, COPY % "" + ", next: {module: copy, args: {dest: /x/../old, content: y}}", status="error"
    )
    assert {one["address"]: one["symbol"] for one in changes} == {"page": "~", "next": "+"}
    assert given == []
