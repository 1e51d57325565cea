from __future__ import annotations

import pytest

from ansible_ensemble.core.sensitive import REDACTED, Redactor, is_secret_name


@pytest.mark.parametrize(
    "name",
    ["password", "db_password", "ansible_become_pass", "ANSIBLE_SSH_PASS", "apiToken", "api_key", "aws.secret", "pwd"],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name", ["compass", "bypass", "token_count", "password_file", "key", "secretary", "monkey", ""]
)
def test_names_of_other_things(name: str) -> None:
    assert not is_secret_name(name)


def test_what_is_too_short_to_be_masked_is_known_by_name() -> None:
    redactor = Redactor()
    redactor.add({"pin": 123, "code": "12345", "none": ""}, "node.codes")
    redactor.add("abc")
    assert redactor.text("123 12345 abc") == f"123 {REDACTED} abc"
    assert redactor.too_short == {"node.codes", ""}
