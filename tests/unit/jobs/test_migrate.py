"""Small projects of each origin: what is reported of them file by file, and what writing changes."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, UsageError
from ansible_ensemble.core.notices import Effect, NoticeCode
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs import migrate as module
from ansible_ensemble.jobs.migrate import migrate_project
from ansible_ensemble.jobs.validate import validate_path
from ansible_ensemble.reports.migration_text import migration_text
from ansible_ensemble.reports.style import Style

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("migrations.yaml")).data
OPTIONS = JobOptions()

OFF = """\
# what is off is kept by its comments
tosca_definitions_version: tosca_simple_yaml_1_3
node_types: {T: {properties: {p: {type: boolean}}}}
topology_template: {node_templates: {t: {type: T, properties: {p: yes}}}}  # and by its layout
"""
#: A file that imports another, and that one.
IMPORT = "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [%s]\n"
TYPES = IMPORT.partition("imports")[0] + "node_types: {T: {properties: {p: {type: boolean, default: no}}}}\n"


def lay_out(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()
    }


def told(path: str, *, write: bool = False) -> str:
    return migration_text(migrate_project(path, OPTIONS, write=write), Style())


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_project_is_reported_and_written(tmp_path: Path, case: dict[str, Any]) -> None:
    lay_out(tmp_path, case["files"])
    path = case.get("path", ".")
    found = migrate_project(path, OPTIONS)
    assert migration_text(found, Style()) == case["report"]
    assert found["outcome"] == case["outcome"]
    rewrites = [finding["code"] for file in found["files"] for finding in file["findings"] if finding["rewrite"]]
    assert all(NoticeCode(code).is_written for code in rewrites), "the page promises it"
    assert texts(tmp_path) == case["files"], "nothing is changed unasked"
    written = migrate_project(path, OPTIONS, write=True)
    assert texts(tmp_path) == case["files"] | case.get("written", {})
    assert written["written"] == sorted(case.get("written", {}))
    again = migrate_project(path, OPTIONS, write=True)
    assert (again["diff"], again["written"]) == ("", []), "once is enough"
    assert again["files"] == written["files"]


@pytest.mark.parametrize("case", [case for case in CASES if "valid" in case], ids=lambda case: case["name"])
def test_what_was_written_validates_with_fewer_warnings(tmp_path: Path, case: dict[str, Any]) -> None:
    lay_out(tmp_path, case["files"])
    path, entries = case.get("path", "."), sorted(case["files"].keys() & case["valid"].keys())
    before = [validate_path(entry, OPTIONS) for entry in entries]
    migrate_project(path, OPTIONS, write=True)
    after = [validate_path(entry, OPTIONS) for entry in entries]
    assert [one["counts"] for one in after] == [one["counts"] for one in before]
    assert {one["path"]: len(one["warnings"]) for one in after} == case["valid"]
    assert all(len(one["warnings"]) < len(other["warnings"]) for one, other in zip(after, before, strict=True))


def test_the_example_of_the_page_is_so(repository: Path) -> None:
    (case,) = [case for case in CASES if case["name"].endswith("docs/coming-from.md")]
    page = (repository / "docs/coming-from.md").read_text(encoding="utf-8")
    assert f"$ ansible-ensemble validate --migrate .\n{case['report']}```\n" in page


def test_an_archive_is_reported_and_not_written(tmp_path: Path) -> None:
    with zipfile.ZipFile("a.csar", "w") as archive:
        archive.writestr("TOSCA-Metadata/TOSCA.meta", "CSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: s.yaml\n")
        archive.writestr("s.yaml", OFF)
    found = migrate_project("a.csar", OPTIONS)
    assert [(one["file"], one["outcome"]) for one in found["files"]] == [
        ("a.csar/TOSCA-Metadata/TOSCA.meta", "tolerated"),
        ("a.csar/s.yaml", "tolerated"),
    ]
    assert found["diff"] == ""
    content = Path("a.csar").read_bytes()
    with pytest.raises(UsageError, match=r"archive, which is not changed \(`ansible-ensemble clone a.csar` first\)"):
        migrate_project("a.csar", OPTIONS, write=True)
    assert Path("a.csar").read_bytes() == content
    assert list(tmp_path.iterdir()) == [tmp_path / "a.csar"]


def test_clones_of_others_are_not_written(tmp_path: Path) -> None:
    lay_out(tmp_path, {"ensemble-project.yaml": "kind: Project\n", "lib/t.yaml": TYPES, "lib/.git/HEAD": "x"})
    lay_out(tmp_path, {"s.yaml": IMPORT % "lib/t.yaml"})
    assert "To do: write true or false" in told(".", write=True)
    assert Path("lib/t.yaml").read_text() == TYPES


def test_files_beside_the_folder_are_not_written(tmp_path: Path) -> None:
    lay_out(tmp_path, {"t.yaml": TYPES, "a/s.yaml": IMPORT % "../t.yaml", ".git/HEAD": "x"})
    assert "To do: write true or false" in told("a", write=True)
    assert Path("t.yaml").read_text() == TYPES


def test_a_file_that_changes_meanwhile_is_left(tmp_path: Path) -> None:
    lay_out(tmp_path, {"s.yaml": OFF})
    with pytest.raises(EnsembleError, match="changed meanwhile"):
        module._write({tmp_path / "s.yaml": ("what it was", "new")})
    assert Path("s.yaml").read_text() == OFF


def test_an_ensemble_is_not_written_while_a_job_runs(tmp_path: Path) -> None:
    text = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec:\n  service_template:\n" + "".join(
        f"    {line}\n" for line in OFF.splitlines()
    )
    lay_out(tmp_path, {"ensemble.yaml": text})
    with module.locked(tmp_path / "ensemble.yaml", "deploy"), pytest.raises(EnsembleError, match="lock"):
        migrate_project(".", OPTIONS, write=True)
    assert Path("ensemble.yaml").read_text() == text
    assert migrate_project(".", OPTIONS, write=True)["written"] == ["ensemble.yaml"]
    assert not validate_path(".", OPTIONS)["warnings"]


def test_links_out_of_the_folder_are_left(tmp_path: Path) -> None:
    lay_out(tmp_path, {"elsewhere/s.yaml": OFF, "here/a.yaml": OFF})
    Path("here/link.yaml").symlink_to(tmp_path / "elsewhere" / "s.yaml")
    assert migrate_project("here", OPTIONS, write=True)["written"] == ["here/a.yaml"]
    assert Path("elsewhere/s.yaml").read_text() == OFF


@pytest.mark.parametrize("link", ["link.yaml", "folder"])
def test_nothing_is_written_through_a_link_out_of_the_project(tmp_path: Path, link: str) -> None:
    lay_out(tmp_path, {"elsewhere/s.yaml": OFF, "here/ensemble-project.yaml": ""})
    Path("here/link.yaml").symlink_to(tmp_path / "elsewhere" / "s.yaml")
    Path("here/folder").symlink_to(tmp_path / "elsewhere")
    assert migrate_project(f"here/{link}", OPTIONS)["files"], "it may be read"
    with pytest.raises(UsageError, match=f"here/{link} leads out of the project"):
        migrate_project(f"here/{link}", OPTIONS, write=True)
    assert Path("elsewhere/s.yaml").read_text() == OFF


def test_a_link_in_a_circle_is_named_as_it_was_given() -> None:
    Path("circle").symlink_to("circle")
    with pytest.raises(InvalidInput, match=r"^there is no file circle: [^/]+$"):
        migrate_project("circle", OPTIONS)


def test_a_folder_without_tosca_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path, {"site.yml": "- hosts: all\n"})
    with pytest.raises(InvalidInput, match="neither an ensemble nor a service template"):
        migrate_project(".", OPTIONS)


def test_each_code_says_what_to_do() -> None:
    assert all(code.meaning and code.remedy and isinstance(code.effect, Effect) for code in NoticeCode)
