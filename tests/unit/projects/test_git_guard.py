from __future__ import annotations

import subprocess

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.texts import with_shown_urls, without_credentials
from ansible_ensemble.ensembles.revisions import specification_at
from ansible_ensemble.projects.git import changed_since, clone_repository
from ansible_ensemble.projects.git_guard import clone_fault, is_commit, neutral_settings


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% /tmp/x",
        "fd::17/foo",
        "http::http://127.0.0.1:1/x",
        "x::z",
        "--upload-pack=touch x",
        "-utouch",
        "-oProxyCommand=touch x:y",
        "ssh://-oProxyCommand=touch/x",
        "ssh://git@-oProxyCommand=touch/x",
        "git@-oProxyCommand=touch:x",
        "ftp://127.0.0.1/x",
        "gopher://127.0.0.1/x",
    ],
)
def test_what_would_run_a_program_is_no_url(url, tmp_path):
    assert clone_fault(url)
    with pytest.raises(InvalidInput):
        clone_repository(url, tmp_path / "into")


@pytest.mark.parametrize(
    "url",
    [
        "https://host/x.git",
        "http://host/x",
        "ssh://git@host:22/x",
        "git+ssh://git@host/x",
        "git@host:x/y.git",
        "host:x",
        "file:///srv/x",
        "/srv/x",
        "../x",
        "x/y::z",
    ],
)
def test_usual_urls_are_urls(url):
    assert clone_fault(url) is None


@pytest.mark.parametrize(
    "text", ["--output=/tmp/x", "", "HEAD", "main", "-x", "../..", "HEAD@{1}", "abc def", "a" * 65]
)
def test_what_is_no_commit_reaches_no_git(text, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert not is_commit(text)
    assert changed_since(tmp_path, text) is None
    with pytest.raises(InvalidInput, match="is not a commit"):
        specification_at(tmp_path / "ensemble.yaml", text)
    assert [path.name for path in tmp_path.iterdir()] == [".git"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://joe:word@host/x", "https://host/x"),
        ("https://joe:p@ss@host/x", "https://host/x"),
        ("git+ssh://token@host/x and http://a:b@c", "git+ssh://host/x and http://c"),
        ("https://host/x@1", "https://host/x@1"),
    ],
)
def test_urls_lose_their_credentials(text, shown):
    assert without_credentials(text) == shown


def test_urls_are_shown_without_their_queries():
    text = "no https://joe:word@host/a.yaml?token=1#x, but 'http://host/?a=b' and why?"
    assert with_shown_urls(text) == "no https://host/a.yaml?...#x, but 'http://host/?...' and why?"


def test_settings_of_the_user_stay_and_those_of_the_repository_do_not():
    listed = "global\0filter.lfs.clean\ngit lfs\0local\0filter.evil.clean\ntouch\0local\0remote.origin.url\nx\0"
    listed += "worktree\0credential.https://host.helper\n!touch\0"
    found = neutral_settings(listed)
    assert (found["filter.evil.clean"], found["credential.https://host.helper"]) == ("", "")
    assert not {"filter.lfs.clean", "remote.origin.url"} & found.keys()
