"""Regular expressions: what they match, against Python's own, and that none takes for ever."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_ensemble.provision.rules.pattern import InvalidPattern, Pattern

CASES = [
    ("abc", "xabcx", (1, 4)), ("abc", "ab", None), ("", "", (0, 0)), ("^a", "ba", None), ("^a$", "a\n", None),
    ("a|ab", "xab", (1, 2)), ("^(a|b)*$", "abba", (0, 4)), ("^(a|b)*$", "abca", None), ("a+?", "aaa", (0, 1)),
    ("[]a]", "]", (0, 1)), (r"[\d-]+", "a1-2", (1, 4)), (r"^\d{3}$", "1234", None), (r"\d", "٣", None),
    ("^a{,2}$", "a{,2}", (0, 5)), ("^a{0,2}$", "aaa", None), ("a.b", "a\nb", None), ("(?s)a.b", "a\nb", (0, 3)),
    ("(?i)node", "NODE-1", (0, 4)), ("(?m)^b$", "a\nb\nc", (2, 3)), ("(?U)a+", "aaa", (0, 1)),
    (r"\bb", "ab b", (3, 4)), ("(?i)STRASSE|É", "sé", (1, 2)), ("[[:alpha:]]+", "12ab", (2, 4)),
    (r"\p{Lu}\pL*", "äÉb", (1, 3)),
    (r"\p{Greek}", "aλ", (1, 2)), (r"\Qa.b\E", "axb a.b", (4, 7)), (r"\x61\x{e9}", "aé", (0, 2)),
    ("(?<n>b)", "ab", (1, 2)), (r"\Q\C\E", r"\C", (0, 2)), (r"\\C", r"\C", (0, 2)), ("[(?P<n>](?P<n>a)", "<a", (0, 2)),
    ("b$", "😀b", (1, 2)),
    (".b", "a\udcffb", (1, 3)), (r"\?b", "a\udcffb", None), ("\0", "a\0", (1, 2)), ("x{1000}", "x" * 1001, (0, 1000)),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "text", "span"), CASES)
def test_matches(expression, text, span):
    found = Pattern(expression).first(text)
    assert (found.span() if found else None) == span
    assert Pattern(expression).is_in(text) is (span is not None)


@pytest.mark.parametrize(
    ("expression", "text", "spans"),
    [("a", "banana", [(1, 2), (3, 4), (5, 6)]), ("x*", "axxé", [(0, 0), (1, 3), (4, 4)]), ("", "é", [(0, 0), (1, 1)]),
     ("é|b*", "ébé", [(0, 1), (1, 2), (2, 3)]), (r"^a", "aaa", [(0, 1)]), ("x", "", []), ("x*", "", [(0, 0)])],
)  # fmt: skip
def test_all_matches(expression, text, spans):
    assert [match.span() for match in Pattern(expression).all(text)] == spans


def test_groups():
    pattern = Pattern("(é)|(?P<last>b)")
    found = pattern.first("b")
    assert (pattern.groups, pattern.names) == (2, {"last": 2})
    assert found is not None
    assert [found.span(group) for group in range(3)] == [(0, 1), (-1, -1), (0, 1)]


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [("(", "missing ): ("), (")", "unexpected ): )"), ("*a", "no argument for repetition operator: *"),
     ("a**", "bad repetition operator: **"), ("[a", "missing ]: [a"), ("a\\", "trailing \\"),
     ("(?=a)", "invalid perl operator: (?="), (r"(a)\1", r"invalid escape sequence: \1"),
     ("[z-a]", "invalid character class range: z-a"), ("a{3,2}", "invalid repetition size: {3,2}"),
     ("a{1001}", "invalid repetition size: {1001}"), ("(x{1000}){1000}", "invalid repetition size: {1000}"),
     ("((((a{9}){9}){9}){9}){9}", "invalid repetition size: {9}"), (r"\pL{1000}", "pattern too large"),
     ("(" * 999, "missing )"), ("()" * 101, "more than 100 groups"), ("a" * 10_001, "too large"),
     ("\udcff", "invalid UTF-8"),
     (r"a\C", r"invalid escape sequence: \C"), (r"\Q\\E\C", r"invalid escape sequence: \C"),
     ("(?P<n>a)(?<n>b)", "name of a group: n"), ("(?P<é>a)", "name of a group: é")],
)  # fmt: skip
def test_refuses(expression, complaint):
    with pytest.raises(InvalidPattern, match=f"error parsing regexp: .*{re.escape(complaint)}"):
        Pattern(expression)


@pytest.mark.parametrize("expression", ["^(a+)+$", "^(a|a)*$", "(a*)*b", "a*a*a*a*a*a*b", "(?:a?){50}b"])
def test_what_makes_python_try_for_ever_takes_one_look(expression):
    assert Pattern(expression).is_in("a" * 50_000 + "!") is False


_ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\bé?", "(?:)"])
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["?", "??", "{2}", "{1,2}"])).map(lambda two: f"({two[0]}){two[1]}"),
        st.tuples(_ATOMS, st.sampled_from(["*", "+", "*?", "{1,}"])).map(lambda two: f"(?:{two[0]}){two[1]}"),
    ),
    max_leaves=6,
)


@given(_EXPRESSIONS, st.text("ab1é\n", max_size=6), st.booleans(), st.booleans())
@example("(a){0,}", "b", True, True)
def test_agrees_with_python(expression, text, from_start, to_end):
    anchored = f"{'^' if from_start else ''}({expression}){'$' if to_end else ''}"
    found = Pattern(anchored).first(text)
    expected = re.search(anchored.replace("$", r"\Z"), text, re.ASCII)
    assert (found.span() if found else None) == (expected.span() if expected else None)
