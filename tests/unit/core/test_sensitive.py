from __future__ import annotations

import base64
import json
import shlex
import urllib.parse
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import REDACTED, Redactor, holds_credentials, is_secret_name, secrets_of_urls
from ansible_ensemble.core.texts import cut
from ansible_ensemble.execution.output import BoundedOutput
from ansible_ensemble.execution.process import _exit_error
from ansible_ensemble.lanes import returned
from ansible_ensemble.lanes.returned import ReturnedJson


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


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("git clone https://me:s%2Fcret@host/x http://a:other@b", ["s%2Fcret", "s/cret", "other"]),
        ({"a": [{"url": "redis://:word@h"}, 1]}, ["word"]),
        ("http://me@host/ http://host:80/@x ssh://git@h:22 a:b@c", []),
        ("http://0123456789abcdef0123@host/x", ["0123456789abcdef0123"]),
        ("https://h/x?page=2&access_token=a%2Fbcdefg;sig=01234567#token=d", ["a%2Fbcdefg", "a/bcdefg", "01234567"]),
        ("https://h/?X-Amz-Signature=abcdefgh&token=<<REDACTED>> http://h/token=x?of=1 a?token=x", ["abcdefgh"]),
        ("see (https://h/?token=abcdefgh), and https://h/?secret=ijklmnop.", ["abcdefgh", "ijklmnop"]),
        ("http://h/?use_token=true&pwd=/home/somebody http://long.host.example.org?q=a@b", []),
        ("http://me:********@host http://me:<<REDACTED>>@host", []),
    ],
)
def test_secrets_of_urls(value: Any, found: list[str]) -> None:
    assert list(secrets_of_urls(value)) == found


@pytest.mark.parametrize("text", ["ssh://a:b@h", "http://me@h", "http://h/?token=abcdefgh"])
def test_urls_that_hold_credentials(text: str) -> None:
    assert holds_credentials(text)


@pytest.mark.parametrize(
    "text", ["ssh://git@h", "http://h/?page=2", "http://h/#token=abcdefgh", "?token=abcdefgh", "http://h?q=a@b"]
)
def test_urls_that_hold_none(text: str) -> None:
    assert not holds_credentials(text)


def test_what_is_too_short_to_be_masked_is_known_by_name() -> None:
    redactor = Redactor()
    redactor.add({"pin": 123, "code": "12345", "none": ""}, "node.codes")
    redactor.add("abc")
    assert redactor.text("123 12345 abc") == f"123 {REDACTED} abc"
    assert redactor.too_short == {"node.codes", ""}


@pytest.mark.parametrize("others", [0, 1000])
@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("", ""),
        ("abc", "abc"),
        ("a word that is none", "a word that is none"),
        ("password", REDACTED),
        ("my password-of-two, my password", f"my {REDACTED}, my {REDACTED}"),
        ("pass word", "pass word"),
        ("the last is 1234", f"the last is {REDACTED}"),
    ],
)
def test_among_many_secrets_each_is_masked_as_among_few(others: int, text: str, masked: str) -> None:
    redactor = Redactor([*(f"password number {number}" for number in range(others)), "1234"])
    redactor.add(["password", "password-of-two"])
    assert redactor.text(text) == masked


SECRET = "SuperSecretPassword0123456789Abcdef"


def shows(text: str) -> list[str]:
    """The parts of the secret that are shown."""
    return [SECRET[i : i + 4] for i in range(len(SECRET) - 3) if SECRET[i : i + 4] in text]


def bounded_output(text: str) -> str:
    output = BoundedOutput(200)
    for start in range(0, len(text), 7):
        output.add(text[start : start + 7].encode())
    return output.text()


@pytest.mark.parametrize("shift", range(-len(SECRET) - 2, 3))
@pytest.mark.parametrize(
    ("shorten", "gap"),
    [
        pytest.param(lambda text: cut(text, 200), 100, id="the middle is left out"),
        pytest.param(bounded_output, 100, id="output of a command"),
        pytest.param(lambda text: text[:100] + "...", 100, id="the end is left out"),
        pytest.param(lambda text: text[:100] + "…", 100, id="a table"),
        pytest.param(lambda text: "..." + text[100:], 100, id="the beginning is left out"),
        pytest.param(lambda text: _exit_error(5, text), 300, id="an error"),
    ],
)
def test_a_secret_that_a_cut_divides_shows_nothing(shorten, gap: int, shift: int) -> None:
    redactor = Redactor([SECRET])
    before = "a" * (gap + shift) + SECRET + "b" * 500
    after = "a" * 500 + SECRET + "b" * (gap + shift)
    for text in (before, after):
        assert shows(redactor.text(shorten(text))) == []


def test_what_is_no_rest_of_a_secret_stays_at_a_cut() -> None:
    assert Redactor([SECRET]).text("Sup...def, loading... S…f") == "Sup...def, loading... S…f"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("xabcdef…", f"x{REDACTED}…"),
        ("xabcd…", f"x{REDACTED}…"),
        ("xabcdx…", "xabcdx…"),
        ("…56789x", f"…{REDACTED}x"),
        ("…6789…abcd", f"…{REDACTED}…abcd"),
        ("xab\n[... 5 bytes cut ...]\n89x", f"x{REDACTED}\n[... 5 bytes cut ...]\n{REDACTED}x"),
    ],
)
def test_of_several_secrets_the_longest_rest_is_masked(text: str, masked: str) -> None:
    redactor = Redactor(["abcdefghi", "efghij", "bcdexyz", "123456789", "0006789", "789abc"])
    assert redactor.text(text) == masked


@pytest.mark.parametrize(
    "encode",
    [
        json.dumps,
        lambda text: json.dumps(text, ensure_ascii=False),
        lambda text: urllib.parse.quote(text, safe=""),
        shlex.quote,
        lambda text: base64.b64encode(text.encode()).decode(),
        lambda text: base64.b64encode(text.encode() + b"\n").decode(),
        lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
    ],
)
def test_a_secret_is_masked_as_others_write_it(encode) -> None:
    secret = 'it\'s a "secret"/ü\nof two lines'
    assert "two" not in Redactor([secret]).text(encode(secret))
    assert REDACTED in Redactor([secret]).text(f"x={encode(secret)};")


@pytest.mark.parametrize("secret", ["sixsix", "seven77", "eight888"])
def test_nothing_is_left_of_a_secret_and_its_line_s_end_in_base64(secret: str) -> None:
    encoded = base64.b64encode(f"{secret}\n".encode()).decode()
    assert Redactor([secret]).text(encoded).rstrip("=") == REDACTED


def test_a_secret_that_is_a_key_is_masked() -> None:
    assert Redactor(["s3cret-key"]).data({"a": [{"of s3cret-key": 1}]}) == {"a": [{f"of {REDACTED}": 1}]}


@pytest.mark.parametrize("shown", range(1, len(SECRET)))
@pytest.mark.parametrize("gap", ["\n[... 5 bytes cut ...]\n", "\n[... 70 characters cut ...]\n"])
def test_at_a_gap_that_says_so_no_character_of_a_secret_remains(shown: int, gap: str) -> None:
    redactor = Redactor([SECRET])
    text = f"x{SECRET[:shown]}{gap}{SECRET[-shown:]}y"
    masked = f"x{REDACTED}{gap}{REDACTED}y"
    assert redactor.text(text) == masked
    assert redactor.text(masked) == masked


def test_the_texts_of_a_result_that_was_cut_show_nothing_of_a_secret() -> None:
    redactor = Redactor([SECRET])
    for shown in (1, 2, 3):
        result = returned.cut({"items": ["a" * (50 - shown) + SECRET + "b" * 200]}, 100)
        assert redactor.data(result)["items"][0].startswith("a" * (50 - shown) + REDACTED + "\n[... ")
        printed = ReturnedJson(limit=150, text_limit=100)
        printed.add(json.dumps({"msg": "a" * 200 + SECRET + "b" * (50 - shown)}).encode())
        text = json.loads(printed.content())["msg"]
        assert f" cut ...]\n{REDACTED}b" in redactor.text(text) or SECRET[-1] not in text


@pytest.mark.parametrize(("secret", "masked"), [("abc", False), ("abcd", True)])
def test_a_secret_that_is_too_short_to_mask_is_named(secret: str, masked: bool) -> None:
    redactor = Redactor()
    redactor.add(secret, "pin")
    assert redactor.text(secret) == (REDACTED if masked else secret)
    assert redactor.too_short == (set() if masked else {"pin"})
