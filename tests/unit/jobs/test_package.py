"""Archives that are made: whole, always the same, and without what is not the service template's."""

from __future__ import annotations

import errno
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.documents.csar import META, open_csar
from ansible_ensemble.jobs.package import package

TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    interfaces: {Standard: {operations: {create: scripts/create.sh}}}
"""
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types/app.yaml]
topology_template:
  inputs: {word: {type: string}}
  node_templates: {app: {type: App, artifacts: {data: {type: tosca.artifacts.File, file: data.bin}}}}
"""
FILES = ["data.bin", "service.yaml", "types/app.yaml", "types/scripts/create.sh"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    (folder / "types" / "scripts").mkdir(parents=True)
    (folder / "service.yaml").write_text(SERVICE)
    (folder / "types" / "app.yaml").write_text(TYPES)
    (folder / "types" / "scripts" / "create.sh").write_text("#!/bin/sh\n")
    (folder / "types" / "scripts" / "create.sh").chmod(0o755)
    (folder / "data.bin").write_bytes(b"\0" * (3 << 20))
    monkeypatch.chdir(tmp_path)
    return folder


def files_of(archive: str | Path) -> list[str]:
    with zipfile.ZipFile(archive) as opened:
        return [name for name in opened.namelist() if name != META]


@pytest.mark.parametrize("path", ["site", "site/service.yaml"])
def test_it_is_read_again(site: Path, tmp_path: Path, path: str) -> None:
    made = package(path)
    assert made == {"archive": str(tmp_path / "service.csar"), "entry": "service.yaml", "files": FILES}
    entry = open_csar(tmp_path / "service.csar", tmp_path / "again")
    assert entry.read_text() == SERVICE
    assert {str(one): (tmp_path / "again" / one).read_bytes() for one in FILES} == {
        str(one): (site / one).read_bytes() for one in FILES
    }
    assert os.access(tmp_path / "again" / "types" / "scripts" / "create.sh", os.X_OK)


def test_the_same_files_are_the_same_archive(site: Path, tmp_path: Path) -> None:
    package("site", out="a.csar")
    for path in site.rglob("*"):
        os.utime(path, (0, 0))
    package("site", out="new/b.csar")
    assert (tmp_path / "a.csar").read_bytes() == (tmp_path / "new" / "b.csar").read_bytes()
    package("site", out="site/c.csar")
    package("site", out="site/c.csar")
    assert (site / "c.csar").read_bytes() == (tmp_path / "a.csar").read_bytes(), "it holds no archive of before"


def test_what_is_of_a_deployment_stays_out(site: Path) -> None:
    kept = ["ensemble.yaml", "ensemble-project.yaml", "jobs.tsv", "jobs/job1.yaml", "secrets/key.yaml", "local/x"]
    for name in [*kept, ".opera/root_file", "a.key", "made.log", "made/by/tests"]:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("")
    (site / ".gitignore").write_text("made\n*.log\n")
    for words in (["init", "-q"], ["add", "service.yaml"]):
        subprocess.run(["git", *words], cwd=site, check=True)
    package("site/service.yaml")
    assert files_of("service.csar") == [".gitignore", *FILES]


def test_a_link_to_what_stays_out_stays_out(site: Path) -> None:
    for name in ("secrets/nested/pw", "terraform.tfstate", ".env"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("canary")
    (site / "app.conf").symlink_to("secrets/nested/pw")
    (site / "state.json").symlink_to("terraform.tfstate")
    files = package(str(site))["files"]
    assert not {"app.conf", "state.json", "terraform.tfstate", ".env", "secrets/nested/pw"} & set(files)


def test_the_service_template_of_an_ensemble_is_meant(site: Path) -> None:
    (site / "other.yaml").write_text(SERVICE)
    (site / "ensemble.yaml").write_text("kind: Ensemble\nspec: {service_template: other.yaml}\n")
    assert package("site")["entry"] == "other.yaml"
    (site / "ensemble.yaml").write_text("kind: Ensemble\nspec: {service_template: {}}\n")
    with pytest.raises(InvalidInput, match="inside"):
        package("site")


def test_an_entry_below_the_folder(site: Path, tmp_path: Path) -> None:
    (site / "service.yaml").write_text("one: of many\n")
    (site / "defs").mkdir()
    (site / "defs" / "main.yaml").write_text(
        SERVICE.replace("types/app", "../types/app").replace("data.bin", "../data.bin")
    )
    assert package("site", entry="defs/main.yaml", out="a.csar")["entry"] == "defs/main.yaml"
    assert open_csar(tmp_path / "a.csar", tmp_path / "again") == tmp_path / "again" / "defs" / "main.yaml"
    with pytest.raises(InvalidInput, match=r"types/app.yaml.*--entry"):
        package("site/defs/main.yaml")


@pytest.mark.parametrize(
    ("version", "metadata"),
    [
        ("tosca_simple_yaml_1_3", "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\n"),
        ("tosca_2_0", "CSAR-Version: 2.0\n"),
    ],
)
def test_its_metadata_is_of_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, metadata: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(f"tosca_definitions_version: {version}\n")
    package("a.yaml")
    with zipfile.ZipFile("a.csar") as opened:
        assert opened.read(META).decode() == f"{metadata}Created-By: ansible-ensemble\nEntry-Definitions: a.yaml\n"


def test_metadata_of_the_folder_stays(site: Path, tmp_path: Path) -> None:
    (site / META).parent.mkdir()
    (site / META).write_text("CSAR-Version: 2.0\nCreated-By: us\nEntry-Definitions: service.yaml\n")
    package("site")
    with zipfile.ZipFile("service.csar") as opened:
        assert opened.read(META) == (site / META).read_bytes()
    (site / "other.yaml").write_text(SERVICE)
    with pytest.raises(InvalidInput, match=r"names service.yaml, not other.yaml"):
        package("site", entry="other.yaml")


def test_what_is_refused(site: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("")
    refused = {
        "leads out": lambda: (site / "link").symlink_to(tmp_path / "outside"),
        "is no file": lambda: (site / "link").symlink_to(site / "types"),
        "does not exist": lambda: (site / "types" / "scripts" / "create.sh").unlink(),
        "already": lambda: None,
    }
    package("site", out="good.csar")
    for message, spoil in refused.items():
        spoil()
        with pytest.raises(InvalidInput, match=message):
            package("good.csar" if message == "already" else "site", out="bad.csar")
        (site / "link").unlink(missing_ok=True)
    (tmp_path / "text").write_text("mine\n")
    with pytest.raises(InvalidInput, match="not overwritten"):
        package("site", out="text")
    for out in ("text/in.csar", "/proc/in.csar"):
        with pytest.raises(EnsembleError, match=f"{out} cannot be written: "):
            package("site", out=out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.csar", "outside", "site", "text"]


def test_a_file_that_cannot_be_read_is_named(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "create.sh":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InvalidInput, match=r"create.sh cannot be read: Permission denied"):
        package("site")
