"""Rewrites at known places: what they change, and what they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.notices import Rewrite
from ansible_ensemble.documents.rewriting import can_rewrite, rewritten

#: A text with a mark where the rewrite is for, and the text after it; None where it is left.
CASES = [
    ("a: <yes\n", "a: true\n"),
    ("a: <yes", "a: true"),
    ("a: <yes # why\r\nb: no\r\n", "a: true # why\r\nb: no\r\n"),
    ("{a: <yes}\n", "{a: true}\n"),
    ("[<yes, yes]\n", "[true, yes]\n"),
    ('{"a": <"yes"}', '{"a": true}'),
    ("a: <'yes'\n", "a: true\n"),
    ("\ufeffa: <yes\n", "\ufeffa: true\n"),
    ("ä: é\nb: <yes\n", "ä: é\nb: true\n"),
    ("a: <&x yes\n", None),
    ("b: &x yes\na: <*x\n", None),
    ("a: <yesterday\n", None),
    ("a: <'yes\"\n", None),
    ("a: <no\n", None),
]

#: A file, and what it becomes by a new first line; None where it is left.
INSERTIONS = [
    ("a: 1\n", "v: 1\na: 1\n"),
    ("# what\n\n---\n# more\na: 1\n", "# what\n\n---\n# more\nv: 1\na: 1\n"),
    ("%YAML 1.2\n--- # one\r\na: 1\r\n", "%YAML 1.2\n--- # one\r\nv: 1\r\na: 1\r\n"),
    ("\ufeffa: 1\n", "\ufeffv: 1\na: 1\n"),
    ('{"a": 1}\n', None),
    ("  a: 1\n", None),
    ("--- {a: 1}\n", None),
    ("v: 2\n", None),
    ("# nothing\n", None),
]


@pytest.mark.parametrize(("marked", "expected"), CASES)
def test_a_value_is_rewritten_where_it_stands(marked: str, expected: str | None) -> None:
    before, _, after = marked.partition("<")
    line = before.count("\n") + 1
    place = Place("s.yaml", line, len(before.removeprefix("\ufeff").rpartition("\n")[2]) + 1)
    rewrite = Rewrite("yes", "true")
    assert rewritten(Path("s.yaml"), before + after, [(place, rewrite)]) == (expected or before + after)
    assert can_rewrite(before + after, place, rewrite) is (expected is not None)


@pytest.mark.parametrize(("text", "expected"), INSERTIONS)
def test_a_line_is_put_before_the_content(text: str, expected: str | None) -> None:
    edits = [(Place("s.yaml"), Rewrite("", "v: 1\n"))]
    assert rewritten(Path("s.yaml"), text, edits) == (expected or text)


def test_several_rewrites_count_each_once() -> None:
    twice = [(Place("s.yaml", 2, 4), Rewrite("yes", "true"))] * 2
    edits = [(Place("s.yaml"), Rewrite("", "v: 1\n")), (Place("s.yaml"), Rewrite("", "v: 2\n")), *twice]
    assert rewritten(Path("s.yaml"), "a: yes\nb: yes\n", edits) == "v: 1\na: yes\nb: true\n"


def test_what_is_no_yaml_is_not_read_as_such() -> None:
    edits = [(Place("TOSCA.meta"), Rewrite("", "CSAR-Version: 1.1\n"))]
    assert rewritten(Path("TOSCA.meta"), "A: [\n", edits) == "CSAR-Version: 1.1\nA: [\n"
