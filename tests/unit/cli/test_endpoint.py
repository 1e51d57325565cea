"""By which options and variables a server is reached."""

from __future__ import annotations

import pytest

from ansible_ensemble.cli import endpoint
from ansible_ensemble.cli.command import Command
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.logins import Login, keep_login
from ansible_ensemble.cli.parser import parser_for
from ansible_ensemble.core.errors import InvalidInput


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return {"XDG_STATE_HOME": str(tmp_path)}


def reached(*words, **environment):
    parser = parser_for(Command("ask", "ask", "ask", ""))
    endpoint.add(parser)
    return endpoint.given(parser.parse(words), Console(None, None, None, environment))


def test_an_option_is_before_its_variable():
    variables = {"RS_ENDPOINT": "https://a:1", "RS_KEY": "amy:secret"}
    found = reached(**variables)
    assert (found.endpoints, found.user, found.password) == (("https://a:1",), "amy", "secret")
    assert reached("-E", "https://b:1 https://c:1", **variables).endpoints == ("https://b:1", "https://c:1")
    assert reached("--key", "bob:word", **variables).user == "bob"
    assert reached(RS_TOKEN="t").token == "t"
    assert reached("--token", "u", RS_TOKEN="t").token == "u"


def test_trust_is_said_in_one_way():
    assert reached("--insecure").insecure
    assert reached("--fingerprint", "ab" * 32).fingerprint == "ab" * 32
    with pytest.raises(InvalidInput, match="only one can be wanted"):
        reached("--insecure", "--fingerprint", "ab" * 32)
    with pytest.raises(InvalidInput, match="cannot be used to verify"):
        reached("--ca-file", "/nowhere")


def test_a_login_says_what_nobody_said_otherwise(state):
    keep_login(state, Login("https://a:1", "amy", "token", fingerprint="ab" * 32))
    found = reached(**state)
    assert (found.endpoints, found.token, found.fingerprint) == (("https://a:1",), "token", "ab" * 32)
    other = reached("-E", "https://b:1", **state)
    assert (other.token, other.fingerprint) == ("", "")
    same = reached(**state, RS_ENDPOINT="https://a:1/", RS_KEY="bob:word")
    assert (same.token, same.user, same.fingerprint) == ("", "bob", "ab" * 32)
    assert reached("--token", "mine", **state).token == "mine"
    assert reached("--insecure", **state).insecure
    pinned = reached(**state, RS_FINGERPRINT="cd" * 32)
    assert (pinned.token, pinned.fingerprint) == ("token", "cd" * 32)
    assert reached("--insecure", **state, RS_FINGERPRINT="cd" * 32).insecure
    assert reached(**state, RS_INSECURE="true").insecure
    verified = reached(**state, RS_INSECURE="false")
    assert (verified.insecure, verified.fingerprint) == (False, "ab" * 32)
