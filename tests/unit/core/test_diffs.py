from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.diffs import NOT_ASKED_FOR, discreet, discreet_result, masked_diff, masked_result
from ansible_ensemble.core.sensitive import REDACTED, Redactor

OLD, NEW, M = "initial-pw-42", "second-pw-43", REDACTED


@pytest.mark.parametrize(
    ("diff", "shown"),
    [
        ({"before": f"password={OLD}\n", "after": f"password={NEW}\n"}, (f"password={M}\n", f"password={M}\n")),
        ({"before": f"a\nb = {OLD}\nc\n", "after": f"a\nb = {NEW}\nd\n"}, (f"a\nb = {M}\n{M}\n", f"a\nb = {M}\nd\n")),
        ({"before": f"x: {OLD}", "after": f"y: {NEW}\n"}, (M, f"y: {M}\n")),
        ({"before": {"p": OLD, "q": 1}, "after": {"p": NEW, "q": 2}}, ({"p": M, "q": 1}, {"p": M, "q": 2})),
        ({"before": [OLD], "after": [NEW]}, (M, [M])),
        ({"before": None, "after": NEW}, (None, M)),
        ({"before": "", "after": f"p={NEW}\n"}, ("", f"p={M}\n")),
        ({"before": "a\nb\n", "after": "a\nc\n"}, ("a\nb\n", "a\nc\n")),
    ],
)
def test_what_a_secret_takes_the_place_of_is_masked(diff: dict[str, Any], shown: tuple[Any, Any]) -> None:
    told = masked_diff({"before_header": "f", **diff}, Redactor([NEW]))
    assert (told["before"], told["after"], told["before_header"]) == (*shown, "f")
    assert OLD not in str(told)


def test_of_what_reads_secrets_all_that_goes_is_masked() -> None:
    told = masked_diff({"before": f"p={OLD}\nkept\n", "after": "kept\n"}, Redactor(), secretive=True)
    assert told == {"before": f"{M}\nkept\n", "after": "kept\n"}
    assert masked_diff({"before": {"p": OLD}, "after": {}}, Redactor(), secretive=True)["before"] == {"p": M}


def test_what_reads_secrets_and_changes_nothing_shows_nothing() -> None:
    same = {"before": f"p={OLD}\n", "after": f"p={OLD}\n"}
    assert masked_diff(same, Redactor(), secretive=True) == {"before": "", "after": ""}
    assert masked_diff(same, Redactor()) == same


def test_a_unified_diff() -> None:
    text = f"--- f\n+++ f\n@@ -1,2 +1,2 @@\n kept\n-password={OLD}\n+password={NEW}\n"
    told = masked_diff({"prepared": text}, Redactor([NEW]))["prepared"]
    assert told == f"--- f\n+++ f\n@@ -1,2 +1,2 @@\n kept\n-password={M}\n+password={M}\n"


@pytest.mark.parametrize(
    ("secretive", "removed"),
    [(False, ['"beforehand"', '"gone-42"']), (True, [f'"{M}"', f'"{M}"'])],
)
def test_a_diff_of_terraform(secretive: bool, removed: list[str]) -> None:
    text = f"""\
  # terraform_data.given will be updated in-place
  ~ resource "terraform_data" "given" {{
        id     = "eb2ed140"
      ~ input  = "{OLD}" -> "{NEW}"
      ~ output = "p={OLD}" -> (known after apply)
      ~ size   = "small" -> "large"
      ~ words  = [
          - "beforehand",
        ]
      - token  = "gone-42" -> null
    }}
"""
    told = masked_diff({"prepared": text}, Redactor([NEW]), secretive=secretive)["prepared"].splitlines()
    assert [line.split(None, 1)[1] for line in told[3:6]] == [
        f'input  = "{M}" -> "{M}"',
        f'output = "p={M}" -> (known after apply)',
        'size   = "small" -> "large"',
    ]
    assert [told[7].strip(" -,"), told[9].partition("= ")[2].removesuffix(" -> null")] == removed
    assert told[:3] == text.splitlines()[:3]


def test_diffs_within_a_result() -> None:
    diff = {"before": f"p={OLD}\n", "after": f"p={NEW}\n"}
    told = masked_result({"msg": NEW, "results": [{"diff": [diff]}, {"diff": diff}, {"diff": ""}]}, Redactor([NEW]))
    assert OLD not in str(told)
    assert NEW not in str(told)
    assert told["results"][1]["diff"] == {"before": f"p={M}\n", "after": f"p={M}\n"}


def test_what_a_program_says_that_it_changed() -> None:
    said = f'~ input  = "{OLD}" -> "{NEW}"\n~ output = "{OLD}" -> (known after apply)\n~ size = "small" -> "large"\n'
    told = masked_result({"stdout": said}, Redactor([NEW]))["stdout"]
    assert told == f'~ input  = "{M}" -> "{M}"\n~ output = "{M}" -> (known after apply)\n~ size = "small" -> "large"\n'


KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n"


@pytest.mark.parametrize(
    ("diff", "shown"),
    [
        ({"before": "a=1\n", "after": "a=2\n"}, {"before": "a=1\n", "after": "a=2\n"}),
        ({"before": "a=1\n", "after": "password=x\n"}, {"before": M, "after": NOT_ASKED_FOR}),
        ({"before": "", "after": KEY}, {"before": "", "after": NOT_ASKED_FOR}),
        ({"before": KEY, "after": ""}, {"before": M, "after": ""}),
        ({"prepared": "- token: x\n"}, {"prepared": NOT_ASKED_FOR}),
        (
            {"before": {"mode": "0644"}, "after": {"mode": "0600"}},
            {"before": {"mode": "0644"}, "after": {"mode": "0600"}},
        ),
        (
            {"before": {"a": [{"api_key": "x"}], "state": "absent"}, "after": {"text": KEY, "n": 1}},
            {"before": {"a": [{"api_key": M}], "state": "absent"}, "after": {"text": M, "n": 1}},
        ),
    ],
)
def test_what_nobody_asked_for_shows_nothing_that_may_be_a_secret(diff: Any, shown: Any) -> None:
    assert discreet({"before_header": "f", **diff}) == {"before_header": "f", **shown}
    assert discreet_result({"diff": diff})["diff"] == shown
    assert discreet_result({"results": [{"diff": [diff]}, 1], "a": 1}) == {"results": [{"diff": [shown]}, 1], "a": 1}
