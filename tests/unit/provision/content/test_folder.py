"""Folders of packs: what is read of them, and that nothing else is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.content.folder import read_folder


def made(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def errors(folder: Path) -> list[str]:
    return [error.message for error in read_folder(folder).errors]


def test_texts_of_its_own_say_what_a_pack_is(tmp_path: Path) -> None:
    files = {"._Name.meta": "pack\n", "._Version.meta": "v1", "README.md": "# Pack\n\nText.\n"}
    made(tmp_path, files)
    (tmp_path / "._Documentation.meta").symlink_to("README.md")
    pack = read_folder(tmp_path)
    assert pack.errors == []
    assert pack.meta.value == {"Name": "pack", "Version": "v1", "Documentation": "# Pack\n\nText."}


def test_what_is_no_content_is_left_alone(tmp_path: Path) -> None:
    names = [".gitlab-ci.yml", ".git/config.yaml", "LICENSE", "docs/notes.md", "tasks/.swap.yaml", "templates/.keep"]
    made(tmp_path, {"meta.yaml": "Name: pack\n", **dict.fromkeys(names, "text")})
    assert (errors(tmp_path), read_folder(tmp_path).entries) == ([], [])


def test_folders_may_be_as_deep_as_they_like(tmp_path: Path) -> None:
    made(tmp_path, {"meta.yaml": "Name: pack\n"})
    here = Path.cwd()
    try:
        for start in ("tasks", "other"):
            os.chdir(tmp_path)
            for name in (start, *["a"] * 1100):
                Path(name).mkdir()
                os.chdir(name)
            Path("deep.yaml").write_text("Name: deep\n")
        os.chdir(tmp_path)
        assert errors(Path()) == ["other: no such section", "it is not read in a folder of its own"]
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", tmp_path], check=True)  # Python's own way is recursive


@pytest.mark.parametrize("target", ["..", "/", "../outside"])
def test_a_section_is_in_the_pack(tmp_path: Path, target: str) -> None:
    made(tmp_path / "outside", {"secret.yaml": "Name: secret\n"})
    pack = made(tmp_path / "pack", {"meta.yaml": "Name: pack\n"})
    (pack / "tasks").symlink_to(target)
    assert errors(pack) == ["it leads out of the pack"]
    assert read_folder(pack).entries == []


def test_a_link_in_the_pack_is_followed(tmp_path: Path) -> None:
    pack = made(tmp_path, {"meta.yaml": "Name: pack\n", "templates/one.tmpl": "text"})
    (pack / "templates" / "two.tmpl").symlink_to("one.tmpl")
    assert [entry.value["Contents"] for entry in read_folder(pack).entries] == ["text", "text"]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    pack = made(tmp_path, {"meta.yaml": "Name: pack\n", "tasks/one.yaml": "Name: one\n"})
    os.mkfifo(pack / "tasks" / "pipe.yaml")
    assert errors(pack) == ["it is no file"]


def test_a_pack_has_its_size(tmp_path: Path) -> None:
    files = {f"templates/{number}.tmpl": "x" * 2**20 for number in range(11)}
    assert errors(made(tmp_path, {"meta.yaml": "Name: pack\n", **files})) == ["the pack has more than 10 MiB"]


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_folder(tmp_path / "none")
