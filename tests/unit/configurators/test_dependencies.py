from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.dependencies import find_dependencies, put_beside
from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Artifact

from .conftest import operation

#: primary, dependencies, `repository` of these -> a part of the error
REFUSED = {
    "not there": ("ls -l", ["gone.txt"], "gone.txt of the operation Standard.create does not exist"),
    "outside of the project": ("ls -l", ["../outside.txt"], "outside.txt lies outside of the project"),
    "a link to the outside": ("ls -l", ["link.txt"], "link.txt lies outside of the project"),
    "two of one name": ("ls -l", ["a/x.txt", "b/x.txt"], "two files of .* have the name x.txt"),
    "one of the primary's name": ("a/run.sh", ["b/run.sh"], "two files of .* have the name run.sh"),
    "the folder itself": ("ls -l", ["."], "the folder . contains the file that names it"),
    "the folder itself, the long way": ("ls -l", ["a/.."], "contains the file that names it"),
    "nothing runs": ({"className": "Template"}, ["a/x.txt"], "no effect with template"),
    "a Terraform module": ("module", ["a/x.txt"], "no effect with terraform"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("a/x.txt", "b/x.txt", "a/run.sh", "b/run.sh", "module/main.tf", "top.txt", "../outside.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "work").mkdir()
    return root


def depending(primary: Any, files: list[str], root: Path) -> Any:
    written = {"primary": primary} if isinstance(primary, str) else {"class_name": primary["className"]}
    dependencies = [Artifact(name, "tosca.artifacts.File", name, base=root) for name in files]
    return operation({**written, "dependencies": dependencies}, base=root)


@pytest.mark.parametrize("primary,files,words", REFUSED.values(), ids=REFUSED)
def test_refused(project: Path, primary: Any, files: list[str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        find_dependencies(depending(primary, files, project), project)
    assert caught.value.place is not None


def test_a_folder_is_not_copied_into_itself(project: Path) -> None:
    """As where a library names the folder of the ensemble."""
    (project / "web/planned").mkdir(parents=True)
    (project / "web/page.html").write_text("page")
    inner = operation({"primary": "ls -l", "dependencies": [Artifact("f", "f", "../web", base=project / "a")]})
    beside = put_beside(inner, project, project / "web/planned")
    assert beside is not None
    assert {path.name for path in (beside.folder / "web").rglob("*")} == {"page.html", "planned"}


def test_all_of_it_lies_in_one_folder(project: Path) -> None:
    beside = put_beside(depending("a/run.sh", ["b/x.txt", "module"], project), project, project / "work")
    assert beside is not None
    assert [path.name for path in beside.files] == ["x.txt", "module", "run.sh"]
    assert {path.name: path.is_symlink() for path in beside.folder.iterdir() if path.name != "work"} == {
        **{"run.sh": False, "x.txt": False, "module": False},
        **{"a": True, "b": True, "top.txt": True, "link.txt": True},
    }
    assert (beside.folder / "x.txt").read_text() == "b/x.txt"
    assert resolve(beside.operation, project).target == str(beside.folder / "run.sh")
    assert beside.folder.stat().st_mode & 0o077 == 0


def test_what_is_its_own_dependency_is_there_once(project: Path) -> None:
    assert find_dependencies(depending("a/run.sh", ["a/run.sh", "a/x.txt", "a/x.txt"], project), project) == [
        project / "a/x.txt"
    ]


def test_it_is_made_anew(project: Path) -> None:
    made = depending("ls -l", ["a/x.txt"], project)
    first = put_beside(made, project, project / "work")
    assert first is not None
    (first.folder / "left.txt").write_text("of the last run")
    second = put_beside(made, project, project / "work")
    assert second is not None
    assert not (second.folder / "left.txt").exists()


def test_nothing_is_made_for_what_depends_on_no_file(project: Path) -> None:
    tool = Artifact("tool", "artifact.PythonPackage", "PyYAML", base=project)
    fetched = Artifact("image", "tosca.artifacts.File", "image.iso", base=project, repository="images")
    assert put_beside(operation({"primary": "ls", "dependencies": [tool, fetched]}), project, project / "work") is None
    assert not list((project / "work").iterdir())
