"""Archives: layouts, and what no archive may hold."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.documents import csar
from ansible_ensemble.documents.csar import open_csar

# Each folder of third-party layouts: None where it is valid, else what is wrong with it.
LAYOUTS = {
    "CSAR-ok": None,
    "CSAR-no-meta-ok": None,
    "CSAR-broken-meta": "TOSCA-Meta-File-Version",
    "CSAR-no-entry-def": "no file service.yaml",
    "CSAR-no-meta-missing-key": "template_name",
    "CSAR-no-meta-multiple-yaml": "several YAML files",
    "CSAR-no-meta-no-entry-def": "no YAML file at its root",
    "CSAR-no-meta-no-meta-section": "template_name",
    "CSAR-no-other-def": "other_definitions.yaml",
    "CSAR-no-other-def-2": "template_name",
    "CSAR-wrong-other-def": "several YAML files",
    "CSAR-wrong-tosca-version": "template_name",
}
META = "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: me\n"
META_2 = "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definitions: a.yaml\n"
YAML = "tosca_definitions_version: tosca_simple_yaml_1_3\nmetadata: {template_name: t, template_version: 1.0}\n"


def pack(path: Path, files: dict[str, str | bytes], **attributes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = attributes.get("mode", 0o644) << 16
            archive.writestr(entry, content)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_third_party_layouts(corpus_folder: Path, tmp_path: Path, name: str, packed: bool) -> None:
    path = corpus_folder / "sodalite-csar-layouts" / name
    if packed:
        files = [file for file in path.rglob("*") if file.is_file()]
        path = pack(tmp_path / "a.csar", {file.relative_to(path).as_posix(): file.read_bytes() for file in files})
    wrong = LAYOUTS[name]
    if wrong is None:
        entry = open_csar(path, tmp_path / "into")
        assert entry.name == "service.yaml"
        assert entry.is_file()
        assert (entry.parent / "playbooks" / "create.yaml").is_file()
    else:
        with pytest.raises(InvalidInput, match=wrong):
            open_csar(path, tmp_path / "into")
        assert not (tmp_path / "into").exists()
        assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_every_layout_has_its_expectation(corpus_folder: Path) -> None:
    assert {path.name for path in (corpus_folder / "sodalite-csar-layouts").iterdir() if path.is_dir()} == {*LAYOUTS}


VALID: list[tuple[dict[str, str | bytes], str]] = [
    ({"a.yaml": YAML}, "a.yaml"),
    ({"a.yml": YAML, "d/b.yaml": "x: 1"}, "a.yml"),
    ({csar.META: META, "a.yaml": "x: 1"}, "a.yaml"),
    ({csar.META: META + "Entry-Definitions: d/a.yaml\n", "d/a.yaml": "x: 1", "b.yaml": "x: 1"}, "d/a.yaml"),
    (
        {
            csar.META: "\ufeff"
            + META.replace("\n", "\r\n")
            + 'Entry-Definitions: a.yaml\r\nOther-Definitions: "o o.yaml" p.yaml\r\n\r\nName: x\r\n',
            "a.yaml": "",
            "o o.yaml": "",
            "p.yaml": "",
        },
        "a.yaml",
    ),
    ({"TOSCA.meta": META_2, "a.yaml": "x: 1", "b.yaml": "x: 1"}, "a.yaml"),
    ({csar.META: META_2, "a.yaml": "x: 1"}, "a.yaml"),
    ({"a.yaml": "tosca_definitions_version: tosca_2_0\n"}, "a.yaml"),
    (
        {
            csar.META: META + "Other-Definitions: a.yaml\n  b.yaml\nEntry-Definitions: a.yaml\n",
            "a.yaml": "",
            "b.yaml": "",
        },
        "a.yaml",
    ),
]


@pytest.mark.parametrize(("files", "entry"), VALID)
def test_valid_archives(tmp_path: Path, files: dict[str, str | bytes], entry: str) -> None:
    path = pack(tmp_path / "a.csar", files)
    assert open_csar(path, tmp_path / "new" / "into") == tmp_path / "new" / "into" / entry


def test_programs_stay_programs(tmp_path: Path) -> None:
    entry = open_csar(pack(tmp_path / "a.csar", {"a.yaml": YAML}, mode=0o755), tmp_path / "into")
    assert stat.S_IMODE(entry.stat().st_mode) == 0o755


INVALID: list[tuple[dict[str, str | bytes], str]] = [
    ({}, "no YAML file"),
    ({"../a.yaml": YAML}, "lead out"),
    ({"/a.yaml": YAML}, "lead out"),
    ({"d/../../a.yaml": YAML}, "lead out"),
    ({"..\\a.yaml": YAML}, "lead out"),
    ({"C:a.yaml": YAML}, "lead out"),
    ({"a.yaml": YAML, "x" * 300: ""}, "lead out"),
    ({"a.yaml": YAML, "d": "", "d/b": ""}, "twice"),
    ({"a.yaml": YAML, "d": "", "./d": ""}, "twice"),
    ({"a.yaml": YAML, "bomb": b"\0" * (8 << 20)}, "200 times"),
    ({"TOSCA-Metadata/x": "", "a.yaml": YAML}, "no file TOSCA-Metadata"),
    ({csar.META: META + "Entry-Definitions: ../../etc/passwd\n"}, "leads out"),
    ({csar.META: META + "Entry-Definitions: d\n", "d/x": ""}, "no file d"),
    ({csar.META: META.replace("1.1", "2.0", 1)}, "2.0 is not known"),
    ({csar.META: META.replace("CSAR-Version: 1.1", "CSAR-Version: new")}, "not a version"),
    ({csar.META: META + "CSAR-Version: 1.1\n"}, "given twice"),
    ({csar.META: "nonsense\n"}, "name: value"),
    ({csar.META: META + "Other-Definitions: a.yaml\n b.yaml\n", "a.yaml": ""}, "no file b.yaml"),
    ({csar.META: META_2, "TOSCA.meta": META_2, "a.yaml": ""}, "two files TOSCA.meta"),
    ({"TOSCA.meta": "CSAR-Version: 2.0\n", "a.yaml": ""}, "no Created-By"),
    ({csar.META: b"\xff"}, "UTF-8"),
    ({csar.META: ""}, "TOSCA-Meta-File-Version"),
    ({"a.yaml": "metadata: 5\n"}, "template_name"),
    ({"a.yaml": "- 1\n"}, "template_name"),
    ({"a.yaml": "a: [\n"}, "missing"),
    ({"a.yaml": "metadata: {template_name: x}\n"}, "template_version"),
]


@pytest.mark.parametrize(("files", "message"), INVALID)
def test_invalid_archives(tmp_path: Path, files: dict[str, str | bytes], message: str) -> None:
    (tmp_path / "work").mkdir()
    path = pack(tmp_path / "a.csar", files)
    with pytest.raises(InvalidInput, match=message) as caught:
        open_csar(path, tmp_path / "work" / "into")
    assert caught.value.place is not None
    assert caught.value.place.file.startswith(str(path))
    assert names(tmp_path) == ["a.csar", "work"]


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o644, stat.S_IFBLK | 0o644])
def test_links_and_devices_are_refused(tmp_path: Path, mode: int) -> None:
    path = pack(tmp_path / "a.csar", {"a.yaml": "/etc/passwd"}, mode=mode)
    with pytest.raises(InvalidInput, match="link or a device"):
        open_csar(path, tmp_path / "into")


@pytest.mark.parametrize(("limit", "value"), [("MAX_ENTRIES", 1), ("MAX_SIZE", 10)])
def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(csar, limit, value)
    with pytest.raises(InvalidInput, match="more than"):
        open_csar(pack(tmp_path / "a.csar", {"a.yaml": YAML, "b": ""}), tmp_path / "into")


def test_a_damaged_archive_is_our_error_whichever_byte_is_wrong(tmp_path: Path) -> None:
    good = pack(tmp_path / "a.csar", {"a.yaml": YAML, "d/b": "x" * 50}).read_bytes()
    refused = 0
    for at in range(len(good)):
        (tmp_path / "b.csar").write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
        try:
            open_csar(tmp_path / "b.csar", tmp_path / f"into{at}")
        except InvalidInput:
            refused += 1
    assert refused > 50


def test_what_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "a.csar").write_text(YAML)
    with pytest.raises(InvalidInput, match="is it a zip file"):
        open_csar(tmp_path / "a.csar", tmp_path / "into")
    with pytest.raises(InvalidInput, match="no file"):
        open_csar(tmp_path / "none.csar", tmp_path / "into")


def test_a_folder_with_a_link_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "out.yaml").write_text(YAML)
    (tmp_path / "csar").mkdir()
    (tmp_path / "csar" / "a.yaml").symlink_to(tmp_path / "out.yaml")
    with pytest.raises(InvalidInput, match="leads out"):
        open_csar(tmp_path / "csar", tmp_path / "into")


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "into").mkdir()
    (tmp_path / "into" / "x").write_text("")
    with pytest.raises(EnsembleError, match="not empty"):
        open_csar(pack(tmp_path / "a.csar", {"a.yaml": YAML}), tmp_path / "into")
    assert names(tmp_path / "into") == ["x"]


def test_an_encrypted_archive(tmp_path: Path) -> None:
    content = io.BytesIO(pack(tmp_path / "a.csar", {"a.yaml": YAML}).read_bytes()).getvalue()
    at = content.index(b"PK\x01\x02") + 8
    (tmp_path / "a.csar").write_bytes(content[:at] + b"\x01" + content[at + 1 :])
    with pytest.raises(InvalidInput, match="encrypted"):
        open_csar(tmp_path / "a.csar", tmp_path / "into")


SPARSE: list[tuple[str, list[str]]] = [
    (META, []),
    ("CSAR-Version: 1.1\nTOSCA-Meta-Version: 1.0\n", ["TOSCA-Meta-File-Version", "Created-By"]),
    ("", ["TOSCA-Meta-File-Version", "CSAR-Version", "Created-By"]),
]


@pytest.mark.parametrize(("meta", "missing"), SPARSE)
def test_what_metadata_lacks_is_told_where_the_entry_is_clear(tmp_path: Path, meta: str, missing: list[str]) -> None:
    archive = pack(tmp_path / "a.csar", {csar.META: meta + "Entry-Definitions: d/a.yaml\n", "d/a.yaml": YAML})
    entry = open_csar(archive, tmp_path / "into")
    assert entry == tmp_path / "into/d/a.yaml"
    told = csar.form_notices(tmp_path / "into")
    assert [notice.message.partition("has no ")[2].split()[0] for notice in told] == missing


def test_a_folder_without_metadata_lacks_nothing(tmp_path: Path) -> None:
    assert csar.form_notices(tmp_path) == []
