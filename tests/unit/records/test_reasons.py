"""A plan tells all that has changed, with old and new values, whatever else is the matter with an instance."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.documents.digest import digest_file
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.views.reads import value_digest

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    port: {type: integer, default: 9090}
    db_password: {type: string, default: new-secret}
  node_templates:
    page:
      type: tosca.nodes.Root
      interfaces:
        Standard: {create: "true one", configure: {implementation: "true two", inputs: {word: {get_input: port}}}}
"""
ENSEMBLE = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status:
  instances:
    page:
      template: page
      readyState: {local: %s, state: configured}
      created: A6BN64gG0001
      lastConfigChange: A6BN64gG0001
"""


def planned(folder: Path, status: str, reads: dict[str, str], values: str, **options: object) -> str:
    (folder / "service.yaml").write_text(SERVICE)
    (folder / "ensemble.yaml").write_text(ENSEMBLE % status)
    keys, digests = ",".join(reads), ",".join(reads.values())
    line = f"A6BN64lz0001\ttarget=::page\toperation=configure\tdigestKeys={keys}\tdigestValue=1\tdigests={digests}"
    (folder / "jobs.tsv").write_text(f"{line}\tvalues={values}\n")
    return plan_text(make_plan(str(folder), "deploy", dict(options)).plan.to_json())


OLD = value_digest(8080, b"")


@pytest.mark.parametrize(
    ("status", "options", "reason"),
    [
        ("ok", {}, "(port changed)"),
        ("error", {}, "(its status is error, port changed)"),
        ("degraded", {"repair": "degraded"}, "(its status is degraded, port changed)"),
        ("ok", {"force": True}, "(forced, port changed)"),
        ("error", {"change_detection": "skip"}, "(its status is error)"),
    ],
)
def test_the_changed_value_is_shown_with_any_reason(tmp_path: Path, status: str, options: dict, reason: str):
    told = planned(tmp_path, status, {"input::port": OLD}, '{"input::port":8080}', **options)
    assert f"# page will be updated in place {reason}" in told
    assert ("~ port (input): 8080 -> 9090" in told) == ("port changed" in reason)


def test_what_a_repair_would_not_run_runs_for_the_change(tmp_path: Path):
    planned(tmp_path, "error", {"input::port": OLD}, "{}")
    text = (tmp_path / "jobs.tsv").read_text()
    (tmp_path / "jobs.tsv").write_text(text.replace("operation=configure", "operation=create"))
    plan = make_plan(str(tmp_path), "deploy", {}).plan
    assert [one.operation for one in plan.operations if one.implementation] == ["create", "configure"]


def test_what_nobody_can_compare_is_named_once_and_never_changed(tmp_path: Path):
    told = planned(tmp_path, "ok", {"outside::the lookup pipe": "1", "fact::localhost::os_family": "2"}, "{}")
    for line in ("Not compared:", "  the lookup pipe    page", "  facts (os_family)  page"):
        assert line in told.splitlines()
    assert "No changes. Everything that can be compared matches the specification." in told


def test_a_value_that_was_not_recorded_is_named_without_one(tmp_path: Path):
    told = planned(tmp_path, "ok", {"group::all": "1"}, "{}")
    assert "(all changed)" in told
    assert "->" not in told


def test_a_file_that_is_gone_has_changed(tmp_path: Path):
    assert "(site.txt (gone) changed)" in planned(tmp_path, "ok", {"file:site.txt": "1"}, "{}")


def test_a_changed_text_that_is_in_git_is_shown(tmp_path: Path):
    (tmp_path / "site.txt").write_text("one\nport 8080\n")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q"), ("add", "site.txt"), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True)
    reads = {"file:site.txt": digest_file(tmp_path / "site.txt")[:16]}
    (tmp_path / "site.txt").write_text("one\nport 9090\n")
    told = planned(tmp_path, "ok", reads, '{".keywords":{}}')
    assert "(site.txt changed)" in told
    assert "      ~ site.txt:\n            one\n          - port 8080\n          + port 9090\n" in told
    quiet = planned(tmp_path, "ok", reads, "{}")
    assert "(site.txt changed)" in quiet
    assert "port" not in quiet
