from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.projects import git, git_merge


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Git without the settings of whoever runs the tests."""
    config = tmp_path / "gitconfig"
    config.write_text("[init]\ndefaultBranch = main\n[user]\nname = Tester\nemail = tester@example.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def run(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git.init_repository(folder)
    write(folder / "ensemble.yaml", "kind: Ensemble\n")
    write(folder / ".gitignore", "jobs/\n")
    run(folder, "add", ".")
    run(folder, "commit", "-qm", "start")
    return folder


@pytest.fixture
def pair(root: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two clones of one bare repository."""
    bare, other = tmp_path / "origin.git", tmp_path / "other"
    run(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    run(root, "remote", "add", "origin", str(bare))
    run(root, "fetch", "-q")
    run(root, "branch", "-q", "--set-upstream-to", "origin/main")
    git.clone_repository(str(bare), other)
    return root, other


def test_the_repository_of_a_file(root: Path, tmp_path: Path) -> None:
    assert git.repository_of(root / "ensemble.yaml") == root
    assert git.repository_of(root / "a" / "b") == root
    assert git.repository_of(tmp_path / "elsewhere") is None


def test_an_empty_repository_has_no_head(tmp_path: Path) -> None:
    git.init_repository(tmp_path)
    assert git.head(tmp_path) == ""
    assert git.first_commit(tmp_path) == ""
    assert git.branch(tmp_path) == "main"
    assert git.remote_url(tmp_path) == ""
    record = write(tmp_path / "jobs.tsv", "x\n")
    assert git.commit(tmp_path, [record], "first") == git.head(tmp_path) == git.first_commit(tmp_path)


def test_only_the_named_files_are_committed(root: Path) -> None:
    write(root / "staged.txt", "x")
    run(root, "add", "staged.txt")
    write(root / "ensemble.yaml", "kind: Ensemble\nstatus: {}\n")
    changes = write(root / "changes" / "job ü.yaml", "x").parent
    made = git.commit(root, [root / "ensemble.yaml", changes, root / "missing"], "records")
    assert made == git.head(root)
    shown = run(root, "-c", "core.quotePath=false", "show", "--name-only", "--format=%s", "HEAD")
    assert shown.split("\n") == ["records", "", "changes/job ü.yaml", "ensemble.yaml", ""]
    assert git.dirty_files(root) == ["staged.txt"]


def test_nothing_changed_is_no_commit(root: Path) -> None:
    before = git.head(root)
    assert git.commit(root, [root / "ensemble.yaml"], "nothing") is None
    assert git.head(root) == before


def test_ignored_files_are_left_out(root: Path) -> None:
    log = write(root / "jobs" / "job.log", "x")
    assert git.commit(root, [log, log.parent], "no") is None


def test_a_removed_file_is_committed_as_removed(root: Path) -> None:
    (root / "ensemble.yaml").unlink()
    assert git.commit(root, [root / "ensemble.yaml"], "gone")
    assert git.dirty_files(root) == []


def test_files_outside_are_refused(root: Path, tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="outside"):
        git.commit(root, [write(tmp_path / "x", "x")], "no")


def test_a_failing_hook_is_reported_and_loses_nothing(root: Path) -> None:
    hook = write(root / ".git" / "hooks" / "pre-commit", "#!/bin/sh\necho 'the hook says no' >&2\nexit 1\n")
    hook.chmod(0o755)
    record = write(root / "jobs.tsv", "x\n")
    before = git.head(root)
    with pytest.raises(EnsembleError, match="the hook says no"):
        git.commit(root, [record], "records")
    assert record.read_text() == "x\n"
    assert git.head(root) == before
    hook.unlink()
    assert git.commit(root, [record], "records")


def test_a_commit_is_built_on_others_commits_of_other_files(root: Path) -> None:
    base = git.head(root)
    write(root / "other.txt", "x")
    git.commit(root, [root / "other.txt"], "another's")
    write(root / "ensemble.yaml", "changed: 1\n")
    made = git.commit(root, [root / "ensemble.yaml"], "ours", base=base)
    assert made
    assert run(root, "log", "--format=%s").split("\n")[:2] == ["ours", "another's"]


def test_anothers_commit_of_the_same_file_is_not_overwritten(root: Path) -> None:
    base = git.head(root)
    write(root / "ensemble.yaml", "theirs: 1\n")
    theirs = git.commit(root, [root / "ensemble.yaml"], "another's")
    write(root / "ensemble.yaml", "ours: 1\n")
    with pytest.raises(EnsembleError, match=r"ensemble\.yaml"):
        git.commit(root, [root / "ensemble.yaml"], "ours", base=base)
    assert git.head(root) == theirs
    assert (root / "ensemble.yaml").read_text() == "ours: 1\n"


def test_a_commit_without_a_configured_identity(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(write(tmp_path / "none", "")))
    for name in ("EMAIL", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    assert git.commit(root, [write(root / "a", "x")], "records")
    assert run(root, "log", "-1", "--format=%an").strip() == "ansible-ensemble"


def test_a_busy_index_is_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = write(root / ".git" / "index.lock", "")
    monkeypatch.setattr(git.time, "sleep", lambda seconds: lock.unlink())
    assert git.commit(root, [write(root / "a", "x")], "records")


def test_an_index_that_stays_busy_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root / ".git" / "index.lock", "")
    monkeypatch.setattr(git.time, "sleep", lambda seconds: None)
    with pytest.raises(EnsembleError, match=r"index\.lock"):
        git.commit(root, [write(root / "a", "x")], "records")


@pytest.mark.parametrize(("dirty", "commit", "refused"), [
    ("abort", False, True), ("abort", True, True), ("ok", True, False), ("auto", True, True), ("auto", False, False),
])  # fmt: skip
def test_dirty_modes(root: Path, dirty: str, commit: bool, refused: bool) -> None:
    write(root / "new.txt", "x")
    if refused:
        with pytest.raises(EnsembleError, match=r"new\.txt"):
            git.check_clean(root, dirty, commit=commit)
    else:
        git.check_clean(root, dirty, commit=commit)


def test_the_job_own_records_do_not_make_it_dirty(root: Path) -> None:
    write(root / "ensemble.yaml", "x: 1\n")
    write(root / "changes" / "a.yaml", "x")
    write(root / "changes-of-mine.txt", "x")
    records = [root / "ensemble.yaml", root / "changes"]
    assert git.dirty_files(root, records) == ["changes-of-mine.txt"]


def test_push_and_upstream(pair: tuple[Path, Path]) -> None:
    one, other = pair
    assert git.upstream(one) == git.Upstream("origin/main", 0, 0)
    git.commit(one, [write(one / "a", "x")], "one")
    assert git.upstream(one) == git.Upstream("origin/main", 1, 0)
    git.push(one)
    with pytest.raises(EnsembleError, match="behind origin/main: it lacks 1 commit"):
        git.check_upstream(other)
    git.commit(other, [write(other / "b", "x")], "other")
    with pytest.raises(EnsembleError, match="diverged"):
        git.check_upstream(other)
    with pytest.raises(EnsembleError, match="git pull"):
        git.push(other)
    git.check_upstream(one)


def test_a_new_branch_is_pushed_to_origin(pair: tuple[Path, Path]) -> None:
    one, _ = pair
    run(one, "checkout", "-qb", "feature")
    assert git.upstream(one) is None
    git.check_upstream(one)
    git.push(one)
    assert git.upstream(one) == git.Upstream("origin/feature", 0, 0)


def test_an_upstream_out_of_reach_is_reported(pair: tuple[Path, Path]) -> None:
    one, _ = pair
    run(one, "remote", "set-url", "origin", "/nowhere/at/all")
    with pytest.raises(EnsembleError, match="--skip-upstream-check"):
        git.check_upstream(one)


@pytest.mark.parametrize("name", ["ANSIBLE_ENSEMBLE_SKIP_UPSTREAM_CHECK", "UNFURL_SKIP_UPSTREAM_CHECK"])
def test_the_check_is_skipped_by_environment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert not git.skips_upstream_check()
    monkeypatch.setenv(name, "1")
    assert git.skips_upstream_check()
    monkeypatch.setenv(name, "false")
    assert not git.skips_upstream_check()


def test_credentials_are_never_shown(root: Path, tmp_path: Path) -> None:
    run(root, "remote", "add", "origin", "https://me:canary@127.0.0.1:1/x.git")
    assert git.remote_url(root) == "https://127.0.0.1:1/x.git"
    with pytest.raises(EnsembleError) as failed:
        git.clone_repository("http://me:canary@127.0.0.1:1/x.git", tmp_path / "clone")
    assert "canary" not in str(failed.value)


@pytest.mark.parametrize("url", ["--upload-pack=touch /tmp/x", "ext::sh -c true"])
def test_urls_that_run_commands_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        git.clone_repository(url, tmp_path / "clone")


def test_cloning_into_a_full_folder_is_refused(root: Path) -> None:
    with pytest.raises(InvalidInput, match="not empty"):
        git.clone_repository(str(root), root)


def test_changes_between_commits(root: Path) -> None:
    base = git.head(root)
    git.commit(root, [write(root / "a", "x")], "a")
    assert git.changed_since(root, base) == ["a"]
    assert git.changed_since(root, "0" * 40) is None


def test_the_files_of_an_earlier_commit(root: Path, tmp_path: Path) -> None:
    base = git.head(root)
    write(root / "ensemble.yaml", "changed: 1\n")
    record = write(root / "changes" / "job.yaml", "x")
    made = git.commit(root, [root / "ensemble.yaml", record], "a job")
    write(root / "ensemble.yaml", "not: committed\n")
    assert git.commit_that_added(root, record) == made
    assert git.commit_that_added(root, root / "missing") == ""
    git.export_commit(root, base, tmp_path / "then")
    assert (tmp_path / "then" / "ensemble.yaml").read_text() == "kind: Ensemble\n"
    assert (root / "ensemble.yaml").read_text() == "not: committed\n"
    assert git.dirty_files(root) == ["ensemble.yaml"]


@pytest.mark.parametrize("revision", ["0" * 40, "", "--output=x", "HEAD~99"])
def test_a_commit_that_is_not_there(root: Path, tmp_path: Path, revision: str) -> None:
    with pytest.raises(InvalidInput, match="no commit"):
        git.export_commit(root, revision, tmp_path / "then")


def test_names_are_no_patterns(root: Path) -> None:
    star = write(root / "a*", "x")
    write(root / "ab", "x")
    git.commit(root, [star], "one")
    assert git.dirty_files(root) == ["ab"]


def test_paths_by_a_linked_folder(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    write(root / "ensemble.yaml", "x: 1\n")
    assert git.dirty_files(root, [link / "ensemble.yaml"]) == []
    assert git.commit(root, [link / "ensemble.yaml"], "records")


def test_settings_are_not_seen_in_the_arguments(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "x.a")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "theirs")
    shown = git.run_git(root, "config", "--get-regexp", "^x[.]", settings={"x.b": "ours"})
    assert shown == (0, "x.a theirs\nx.b ours\n", "")


def test_the_versions_of_a_conflict(pair: tuple[Path, Path]) -> None:
    one, other = pair
    file = write(one / "ensemble.yaml", "ours: 1\n")
    git.commit(one, [file], "ours")
    assert git_merge.conflicting_versions(one, file) is None
    git.commit(other, [write(other / "ensemble.yaml", "theirs: 1\n")], "theirs")
    git.push(other)
    assert git.run_git(one, "pull", "-q", "--no-rebase")[0] != 0
    assert git_merge.conflicting_versions(one, file) == ("kind: Ensemble\n", "ours: 1\n", "theirs: 1\n")


def test_a_folder_that_git_ignores_is_in_no_repository(root: Path) -> None:
    (root / "jobs").mkdir()
    (root / "web").mkdir()
    assert git.repository_of(root / "web") == root
    assert git.repository_of(root / "jobs") is None
