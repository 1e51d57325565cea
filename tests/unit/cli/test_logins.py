"""Logins are kept for their owner alone."""

from __future__ import annotations

import stat

import pytest

from ansible_ensemble.cli.logins import Login, current_login, drop_login, keep_login, logins_file
from ansible_ensemble.core.errors import EnsembleError, InvalidInput

A = Login("https://a:1", "amy", "t1", fingerprint="ab" * 32)
B = Login("https://b:1", "bob", "t2", ca_file="/ca")


@pytest.fixture
def environment(tmp_path):
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def test_the_latest_is_the_current_one(environment):
    assert current_login(environment) is None
    keep_login(environment, A)
    keep_login(environment, B)
    assert current_login(environment) == B
    assert current_login(environment, A.endpoint) == A
    keep_login(environment, A)
    assert current_login(environment) == A
    drop_login(environment, A)
    assert (current_login(environment), current_login(environment, A.endpoint)) == (B, None)


def test_nobody_else_can_read_them(environment):
    keep_login(environment, A)
    file = logins_file(environment)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "t1" not in repr(A)
    file.chmod(0o640)
    with pytest.raises(InvalidInput, match="others can read these logins"):
        current_login(environment)


@pytest.mark.parametrize("text", ["", "[]", '{"logins": [{"endpoint": 1}]}', '{"logins": 7}', "\x00"])
def test_a_damaged_file_is_one_message(environment, text):
    keep_login(environment, A)
    logins_file(environment).write_text(text)
    with pytest.raises(InvalidInput, match="cannot be read"):
        current_login(environment)


def test_where_they_cannot_be_kept(tmp_path):
    (tmp_path / "ansible-ensemble").symlink_to("nowhere/at/all")
    with pytest.raises(EnsembleError, match="cannot be kept"):
        keep_login({"XDG_STATE_HOME": str(tmp_path)}, A)
