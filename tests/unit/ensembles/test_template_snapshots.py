from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_ensemble.documents.digest import digest_path
from ansible_ensemble.ensembles import template_snapshots
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.ensembles.template_snapshots import RetainedTemplates
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.directives import RETAINED
from tests.unit.conftest import SERVICE

#: the service without the app and its type
WITHOUT = (
    SERVICE[: SERVICE.index("  App:\n")] + SERVICE[SERVICE.index("topology_template:") : SERVICE.index("    app:\n")]
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "active"


@pytest.fixture
def kept(job, tmp_path: Path, folder: Path):
    """What is kept of the app, read again once the spec is without it."""

    def keep(service: str = SERVICE):
        before = job(service)
        app = before.instance("app", status="ok", created="A0", host="machine")
        RetainedTemplates(folder, tmp_path, SecretCodec()).keep(
            before.ensemble.topology, [app], before.ensemble.evaluator
        )
        after = job(WITHOUT)
        after.instance("app", status="ok", created="A0", host="machine")
        restored = RetainedTemplates(folder, tmp_path, SecretCodec())
        assert restored.add_missing(after.ensemble.topology, after.instances) == ["app"]
        return after.ensemble.topology.node_templates["app"]

    return keep


def test_a_template_that_is_gone_can_be_deleted(kept) -> None:
    template = kept()
    assert template.operation("Standard", "delete").implementation.primary == "echo delete"
    assert template.operation("Install", "check").implementation.primary == "echo check"
    assert template.operation("Standard", "create") is None
    assert template.directives == (RETAINED,)
    assert [ancestor.name for ancestor in template.type.lineage()] == ["App", "tosca.nodes.Root"]
    assert [(one.name, one.target.name, one.is_hosted_on) for one in template.requirements] == [
        ("host", "machine", True)
    ]


def test_its_properties_are_values_and_no_expressions(kept) -> None:
    template = kept(SERVICE.replace("      type: App\n", "      type: App\n      properties: {port: 8080}\n"))
    assert template.properties["port"].value == {"q": 8080}


def test_its_script_is_kept_beside_it(kept, tmp_path: Path, folder: Path) -> None:
    (tmp_path / "delete.sh").write_text("echo gone\n")
    template = kept(SERVICE.replace("echo delete", "delete.sh"))
    assert template.operation("Standard", "delete").implementation.primary == str(tmp_path / "delete.sh")
    (tmp_path / "delete.sh").unlink()
    template = kept_again(tmp_path, folder)
    assert Path(template.operation("Standard", "delete").implementation.primary).read_text() == "echo gone\n"


def test_its_copies_are_the_owners_alone_and_programs_stay_such(kept, tmp_path: Path, folder: Path) -> None:
    tasks = tmp_path / "roles" / "web" / "tasks"
    tasks.mkdir(parents=True)
    (tmp_path / "roles").chmod(0o755)
    for name, mode in (("delete.sh", 0o755), ("roles/web/tasks/main.yml", 0o644), ("roles/web/run", 0o755)):
        (tmp_path / name).write_text("[]\n")
        (tmp_path / name).chmod(mode)
    for implementation in ("delete.sh", "web"):
        kept(SERVICE.replace("echo delete", implementation))
    files = folder / "files"
    programs = {path.name[-3:] for path in files.rglob("*") if path.is_file() and path.stat().st_mode & 0o100}
    assert programs == {".sh", "run"}
    assert [path for path in (files, *files.rglob("*")) if path.stat().st_mode & 0o077] == []
    assert (tmp_path / "roles").stat().st_mode & 0o777 == 0o755


def kept_again(root: Path, folder: Path):
    topology, instances = Topology(root / "service.yaml"), Instances()
    instances.add(Instance("app", "app"))
    RetainedTemplates(folder, root, SecretCodec()).add_missing(topology, instances)
    return topology.node_templates["app"]


def test_what_has_no_instance_any_more_is_forgotten(job, tmp_path: Path, folder: Path) -> None:
    made = job()
    app = made.instance("app", status="ok", created="A0")
    retained = RetainedTemplates(folder, tmp_path, SecretCodec())
    retained.keep(made.ensemble.topology, [app], made.ensemble.evaluator)
    assert list(json.loads((folder / "templates.json").read_text())) == ["app"]
    app.created, app.local = None, Status.ABSENT
    retained.keep(made.ensemble.topology, [], made.ensemble.evaluator)
    assert json.loads((folder / "templates.json").read_text()) == {}


def test_an_instance_of_which_nothing_is_known_has_no_operations(job, tmp_path: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "templates.json").write_text("{")
    template = kept_again(tmp_path, folder)
    assert template.directives == (RETAINED, "unknown")
    assert template.interfaces == {}


def test_the_version_it_had(job, tmp_path: Path, folder: Path) -> None:
    made = job(SERVICE.replace("  App:\n", "  App:\n    metadata: {version: 2.1}\n"))
    app = made.instance("app", status="ok", created="A0")
    retained = RetainedTemplates(folder, tmp_path, SecretCodec())
    assert retained.version("app") is None
    retained.keep(made.ensemble.topology, [app], made.ensemble.evaluator)
    assert RetainedTemplates(folder, tmp_path, SecretCodec()).version("app") == "2.1"


def test_a_role_is_read_once_for_all_that_share_it_and_anew_by_each_job(
    job, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tmp_path / "roles" / "web" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "main.yml").write_text("[]\n")
    other = "    other: {type: App, requirements: [host: machine]}\n"
    made = job(SERVICE.replace("delete: echo delete", "delete: web") + other)
    instances = [made.instance(name, status="ok", created="A0", host="machine") for name in ("app", "other")]
    read: list[Path] = []
    monkeypatch.setattr(template_snapshots, "digest_path", lambda path: read.append(path) or digest_path(path))
    templates = RetainedTemplates(folder, tmp_path, SecretCodec())
    templates.keep(made.ensemble.topology, instances, made.ensemble.evaluator)
    assert read == [tasks.parent]
    (tasks / "main.yml").write_text("[] # changed\n")
    templates.keep(made.ensemble.topology, instances, made.ensemble.evaluator)
    assert len(list((folder / "files").glob("*-web"))) == 2


def test_a_damaged_entry_stays_as_it_is(job, tmp_path: Path, folder: Path) -> None:
    made = job()
    app = made.instance("app", status="ok", created="A0")
    folder.mkdir()
    (folder / "templates.json").write_text('{"other": {"type": "a hand"}, "odd": 7}')
    kept = RetainedTemplates(folder, tmp_path, SecretCodec())
    assert len(kept.problems) == 2
    kept.keep(made.ensemble.topology, [app], made.ensemble.evaluator)
    written = json.loads((folder / "templates.json").read_text())
    assert (written["other"], written["odd"]) == ({"type": "a hand"}, 7)
    assert "operations" in written["app"]


@pytest.mark.parametrize("text", ["{", "[1]", "<<<<<<< ours"])
def test_a_damaged_file_is_kept_aside(job, tmp_path: Path, folder: Path, text: str) -> None:
    made = job()
    app = made.instance("app", status="ok", created="A0")
    folder.mkdir()
    (folder / "templates.json").write_text(text)
    kept = RetainedTemplates(folder, tmp_path, SecretCodec())
    assert "keeps this one as templates.json.damaged" in kept.problems[0]
    kept.keep(made.ensemble.topology, [app], made.ensemble.evaluator)
    assert (folder / "templates.json.damaged").read_text() == text
    assert list(json.loads((folder / "templates.json").read_text())) == ["app"]


def test_what_moved_is_kept_by_its_new_name_for_good(job, tmp_path: Path, folder: Path) -> None:
    made = job()
    app, machine = (made.instance(name, status="ok", created="A0") for name in ("app", "machine"))
    RetainedTemplates(folder, tmp_path, SecretCodec()).keep(
        made.ensemble.topology, [app, machine], made.ensemble.evaluator
    )
    moves = {"app": "web", "machine": "vm"}
    moved = job(SERVICE.replace("machine", "vm").replace("    app:\n", "    web:\n"))
    for name in moves.values():
        moved.instance(name, status="ok", created="A0")
    renamed = RetainedTemplates(folder, tmp_path, SecretCodec())
    renamed.rename(moves)
    renamed.keep(moved.ensemble.topology, [], moved.ensemble.evaluator)  # a job without anything to do
    kept = json.loads((folder / template_snapshots.FILE).read_text())
    assert set(kept) == {"web", "vm"}
    assert [one["target"] for one in kept["web"]["requirements"]] == ["vm"]
