"""Regular expressions: what they match, against Python's own, and that none takes for ever."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_ensemble.provision.rules.pattern import InvalidPattern, Pattern

CASES = [
    ("abc", "xabcx", True), ("abc", "ab", False), ("", "", True), ("^a", "ba", False), ("^a$", "a", True),
    ("^$", "", True), ("^$", "a", False), ("a|b", "xb", True), ("^(a|b)*$", "abba", True), ("^(a|b)*$", "abca", False),
    ("^a+b?$", "aab", True), ("^a+b?$", "b", False), ("[a-c]x", "bx", True), ("[^a-c]x", "bx", False),
    ("[]a]", "]", True), (r"[\d-]", "-", True), (r"^\d{3}$", "123", True), (r"^\d{3}$", "1234", False),
    ("^a{2,}$", "aaa", True), ("^a{2,}$", "a", False), ("^a{0,2}$", "", True), ("^a{0,2}$", "aaa", False),
    ("^a{,2}$", "a{,2}", True), ("^(ab){2}$", "abab", True), ("^(ab){2}$", "ab", False), (r"a\.b", "a.b", True),
    (r"a\.b", "axb", False), ("a.b", "a\nb", False), ("(?s)a.b", "a\nb", True), ("(?i)node", "NODE-1", True),
    ("(?:ab)+?c", "ababc", True), (r"^\w+\s\W$", "ab -", True), (r"\n", "\n", True), ("ü$", "süü", True),
    ("^x{0}$", "", True), ("(^a|b)c", "bc", True), (r"[\]]", "]", True),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "text", "found"), CASES)
def test_matches(expression, text, found):
    assert Pattern(expression).is_in(text) is found


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [("(", "missing )"), (")", "unexpected )"), ("*a", "missing argument"), ("a**", "nested repetition"),
     ("[a", "ends too early"), ("a\\", "ends too early"), ("(?=a)", "unsupported group"), (r"(a)\1", "escape"),
     (r"\bx", "escape"), ("[z-a]", "range"), ("a{3,2}", "repeat count"), ("(a{100}){100}", "too large"),
     ("((((a{9}){9}){9}){9}){9}", "too large"), ("(" * 99, "too deeply"), ("a" * 300, "too large"),
     ("[[:alpha:]]", "unsupported class")],
)  # fmt: skip
def test_refuses(expression, complaint):
    with pytest.raises(InvalidPattern, match=re.escape(complaint)):
        Pattern(expression)


@pytest.mark.parametrize("expression", ["^(a+)+$", "^(a|a)*$", "(a*)*b", "a*a*a*a*a*a*b"])
def test_what_makes_python_try_for_ever_takes_one_look(expression):
    assert Pattern(expression).is_in("a" * 5000 + "!") is False


_ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d"])
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,}"])).map(
            lambda two: f"({two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
)


@given(_EXPRESSIONS, st.text("ab1\n", max_size=6), st.booleans(), st.booleans())
@example("(a){0,}", "b", True, True)
def test_agrees_with_python(expression, text, from_start, to_end):
    anchored = f"{'^' if from_start else ''}({expression}){'$' if to_end else ''}"
    ours = Pattern(anchored).is_in(text)
    assert ours is bool(re.search(anchored.replace("$", r"\Z"), text))
