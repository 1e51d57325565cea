from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_ensemble.provision.templates.budget import Budget, Limits
from ansible_ensemble.provision.templates.fault import Fault
from ansible_ensemble.provision.templates.patterns.matcher import compiled

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^b]", r"\d", r"\w", "(a|bc)", "(?:ab|a)"])
POSITIONS = st.sampled_from(["^", "$", r"\b"])
REPEATS = st.sampled_from(["", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}"])
PATTERNS = st.lists(POSITIONS | st.tuples(ATOMS, REPEATS).map("".join), min_size=1, max_size=4).map("".join)


@settings(max_examples=300, deadline=None)
@given(PATTERNS, st.text("abc1 ", max_size=8))
def test_the_first_match_is_that_of_python(pattern: str, text: str) -> None:
    found = compiled(pattern).find(Budget(Limits()), text)
    expected = re.search(pattern.replace("$", r"\Z"), text)
    assert (found[:2] if found else None) == (expected.span() if expected else None)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"(?i)STRASSE|É", "é", (0, 1)),
        (r"[[:alpha:]]+", "12ab", (2, 4)),
        (r"\p{Lu}\pL*", "aÉb", (1, 3)),
        (r"(?s)a.b", "a\nb", (0, 3)),
        (r"(?m)^b$", "a\nb\nc", (2, 3)),
        (r"\Qa.b\E", "axb a.b", (4, 7)),
        (r"\x61\x{e9}", "aé", (0, 2)),
        (r"(?U)a+", "aaa", (0, 1)),
        (r"[\d-]+", "a1-2", (1, 4)),
    ],
)
def test_syntax(pattern: str, text: str, expected: tuple[int, int]) -> None:
    found = compiled(pattern).find(Budget(Limits()), text)
    assert found is not None
    assert found[:2] == expected


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "[", "*a", "a**", r"\8", "a{1001}", "a{2,1}", "(?=a)", "(?P<n>a)(?P<n>b)", r"\p{Greek}", "[b-a]", "\\"],
)
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(Fault):
        compiled(pattern)
