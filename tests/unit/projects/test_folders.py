from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.projects import folders


def render(folder: Path, kind: str, text: str, instance: str = "app") -> Path:
    path = folders.task_folder(folder, kind, instance, "configure") / "file"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_a_task_that_succeeded_is_active(tmp_path: Path) -> None:
    for kind in folders.KINDS:
        render(tmp_path, kind, kind)
    folders.task_succeeded(tmp_path, "app", "configure")
    for kind in folders.KINDS:
        assert (tmp_path / "active" / kind / "app/configure/file").read_text() == kind
    assert not folders.task_folder(tmp_path, "tasks", "app", "configure").exists()


def test_it_replaces_what_an_earlier_job_left(tmp_path: Path) -> None:
    render(tmp_path, "tasks", "old").with_name("only-in-the-old").write_text("x")
    folders.task_succeeded(tmp_path, "app", "configure")
    render(tmp_path, "tasks", "new")
    folders.task_succeeded(tmp_path, "app", "configure")
    active = tmp_path / "active/tasks/app/configure"
    assert [path.name for path in active.iterdir()] == ["file"]
    assert [path.name for path in active.parent.iterdir()] == ["configure"]


def test_a_task_that_failed_is_kept_under_its_id(tmp_path: Path) -> None:
    render(tmp_path, "tasks", "x")
    render(tmp_path, "tasks", "another's", instance="db")
    folders.task_failed(tmp_path, "app", "configure", "A6BKKsK50001")
    assert (tmp_path / "failed.A6BKKsK50001/tasks/app/configure/file").exists()
    assert not (tmp_path / "active").exists()
    assert (tmp_path / "planned/tasks/db/configure/file").exists()


def test_what_is_moved_is_its_owners_alone_and_a_folder_of_the_users_stays_as_it_is(tmp_path: Path) -> None:
    render(tmp_path, "tasks", "x").parent.chmod(0o755)
    (tmp_path / "active").mkdir()
    (tmp_path / "active").chmod(0o755)
    folders.task_succeeded(tmp_path, "app", "configure")
    modes = [oct((tmp_path / name).stat().st_mode & 0o777) for name in ("active/tasks/app/configure", "active/tasks")]
    assert modes == ["0o700", "0o700"]
    assert (tmp_path / "active").stat().st_mode & 0o777 == 0o755


def test_a_task_that_rendered_nothing_moves_nothing(tmp_path: Path) -> None:
    folders.task_succeeded(tmp_path, "app", "configure")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../etc", "a/b", "a%2Fb", "%"])
def test_no_name_leaves_its_folder(tmp_path: Path, name: str) -> None:
    path = folders.task_folder(tmp_path, "tasks", name, name)
    assert path.parent.parent == tmp_path / "planned" / "tasks"


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b"])
def test_impossible_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        folders.task_folder(tmp_path, "tasks", name, "configure")


def test_unknown_kinds_and_ids_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        folders.task_folder(tmp_path, "logs", "app", "configure")
    with pytest.raises(InvalidInput):
        folders.task_failed(tmp_path, "app", "configure", "../x")


def test_a_file_in_the_way_is_an_error_for_the_user(tmp_path: Path) -> None:
    render(tmp_path, "tasks", "x")
    (tmp_path / "active").write_text("")
    with pytest.raises(EnsembleError, match="cannot be changed"):
        folders.task_succeeded(tmp_path, "app", "configure")


def test_what_git_keeps(tmp_path: Path) -> None:
    paths = [str(path.relative_to(tmp_path)) for path in folders.committed_paths(tmp_path / "ensemble.yaml")]
    assert paths == ["ensemble.yaml", "jobs.tsv", "changes", "active/artifacts", "active/secrets"]
