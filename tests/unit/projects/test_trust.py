from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.projects.trust import (
    Trust,
    approve,
    consent_folder,
    distrust,
    grant,
    is_trusted,
    strange_folders,
    trust,
    trusted_folders,
    withdraw,
)

pytestmark = pytest.mark.usefixtures("nothing_trusted")


def project(folder):
    folder.mkdir(parents=True)
    (folder / ".git").mkdir()
    return folder


def test_nothing_is_trusted_to_begin_with(tmp_path):
    assert not is_trusted(tmp_path)


def test_a_folder_that_was_trusted_covers_all_below_it(tmp_path):
    inner = project(tmp_path / "work" / "shop")
    trust(tmp_path / "work")
    assert is_trusted(inner / "service.yaml")
    assert not is_trusted(tmp_path)


def test_an_approved_project_covers_no_project_within_it(tmp_path):
    outer = project(tmp_path / "outer")
    inner = project(outer / "vendor" / "inner")
    (outer / "deployments").mkdir()
    approve(outer / "deployments" / "ensemble.yaml")
    assert is_trusted(outer)
    assert is_trusted(outer / "deployments")
    assert not is_trusted(inner)


def test_what_came_from_elsewhere_is_not_trusted_for_where_it_lies(tmp_path):
    outer = project(tmp_path / "outer")
    trust(outer)
    (outer / "archive").mkdir()
    distrust(outer / "archive")
    assert not is_trusted(outer / "archive" / "service.yaml")
    assert is_trusted(outer)


def test_a_link_is_trusted_for_where_it_leads(tmp_path):
    mine, strange = project(tmp_path / "mine"), project(tmp_path / "strange")
    trust(mine)
    (mine / "link").symlink_to(strange)
    assert not is_trusted(mine / "link")


def test_a_link_to_a_trusted_folder_is_trusted(tmp_path):
    mine = project(tmp_path / "mine")
    (tmp_path / "link").symlink_to(mine)
    trust(tmp_path / "link")
    assert trusted_folders() == {mine: Trust.ALL}


def test_withdrawn_trust_is_gone(tmp_path):
    trust(tmp_path)
    assert withdraw(tmp_path)
    assert not is_trusted(tmp_path)
    assert not withdraw(tmp_path)


def test_the_file_is_the_owners_alone(tmp_path, nothing_trusted):
    trust(tmp_path)
    file = nothing_trusted / "ansible-ensemble" / "trust.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("text", ["", "[]", "{", '{"folders": {"/": "yes"}}', '{"folders": ["/"]}', "\xff"])
def test_a_broken_file_trusts_nothing(tmp_path, nothing_trusted, text):
    (nothing_trusted / "ansible-ensemble").mkdir()
    (nothing_trusted / "ansible-ensemble" / "trust.json").write_text(text, encoding="latin-1")
    assert not is_trusted(tmp_path)


def test_a_state_folder_that_cannot_be_written_trusts_the_job_alone(tmp_path, nothing_trusted, monkeypatch):
    (nothing_trusted / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(nothing_trusted / "file"))
    approve(tmp_path)
    assert is_trusted(tmp_path)
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", "")
    assert not is_trusted(tmp_path)


def test_what_this_process_is_granted_is_not_kept(tmp_path, monkeypatch):
    grant(tmp_path)
    assert is_trusted(tmp_path)
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", "")
    assert not is_trusted(tmp_path)


def test_a_link_out_of_what_is_trusted_is_not(tmp_path):
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
        (folder / "ensemble.yaml").touch()
    trust(mine)
    (other / "link.yaml").symlink_to(mine / "ensemble.yaml")
    (mine / "link.yaml").symlink_to(other / "ensemble.yaml")
    assert is_trusted(mine / "ensemble.yaml")
    assert not is_trusted(other / "link.yaml")
    assert not is_trusted(mine / "link.yaml")


def test_what_is_strange_of_a_link_is_where_it_lies_and_where_it_leads(tmp_path):
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
    (mine / "site.yml").touch()
    (other / "site.yml").symlink_to(mine / "site.yml")
    assert strange_folders(other / "site.yml") == [mine, other]
    trust(mine)
    assert strange_folders(other / "site.yml") == [other]
    assert strange_folders(mine / "site.yml") == []


def test_approval_takes_no_trust_away(tmp_path):
    inner = project(tmp_path / "outer" / "inner")
    trust(tmp_path / "outer")
    grant(tmp_path / "outer")
    approve(tmp_path / "outer")
    assert is_trusted(inner)
    assert trusted_folders() == {tmp_path / "outer": Trust.ALL}


def test_consent_to_what_came_from_elsewhere_is_for_it_alone(tmp_path, monkeypatch):
    mine = project(tmp_path / "mine")
    (mine / "copy").mkdir()
    distrust(mine / "copy")
    assert consent_folder(mine / "copy") == mine / "copy"
    approve(mine / "copy" / "ensemble.yaml")
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", "")
    assert is_trusted(mine / "copy")
    assert not is_trusted(mine)


def test_what_came_from_elsewhere_stays_strange_when_its_project_is_approved(tmp_path):
    mine = project(tmp_path / "mine")
    (mine / "copy").mkdir()
    distrust(mine / "copy")
    approve(mine)
    assert is_trusted(mine)
    assert not is_trusted(mine / "copy")


@pytest.mark.parametrize("text", ["[]", "3", '{"folders": 3}', '{"folders": {"/x": 1}}', "{"])
def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path, text):
    trust(tmp_path)
    (file,) = Path(os.environ["XDG_STATE_HOME"]).rglob("trust.json")
    file.write_text(text)
    with pytest.raises(EnsembleError, match="cannot be written"):
        trust(tmp_path)
    assert file.read_text() == text
    assert not is_trusted(tmp_path)


def test_what_several_say_at_once_is_all_kept(tmp_path):
    folders = [tmp_path / str(number) for number in range(4)]
    code = (
        "import sys; from pathlib import Path; from ansible_ensemble.projects import trust\n"
        "for number in range(25): trust.trust(Path(sys.argv[1], str(number)))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(folder)]) for folder in folders]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert len(trusted_folders()) == 100
