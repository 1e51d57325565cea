"""The writer: what is emitted is read back, and an edit touches only what differs."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import SensitiveInt, SensitiveMap, SensitiveStr
from ansible_ensemble.documents.writer import DELETE, emit_yaml, replace_entries, rewrite, same
from ansible_ensemble.documents.yaml import MAX_DEPTH, VaultText, parse_yaml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(
    st.sampled_from("ab:#-?[]{}&*!|>'\"%@` \n\t,\r\\~.0123yn<="), max_size=12
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | TEXTS.map(VaultText)
KEYS = TEXTS | st.integers(2)
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)

ENSEMBLE = """\
# top
apiVersion: tosca-ensemble/v1
spec: {a: 1}   # flow
status:  # st
  inputs: {}
  instances:
    # about app
    app:   # the app
      port: 80    # web
      "quoted key": 'x'
      text: |
        foo

      # inner
      list: [1,2]
      instances:
        # about child
        child:
          state: ok # fine
    # about db
    db:
      x: 'q'
# tail
lastJob: ~
# end
"""


def say(text: str) -> Any:
    return parse_yaml(text, "ensemble.yaml").data


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in list(lines)[2:] if not line.startswith("@@")]


@given(DATA, st.integers(0, 5))
def test_what_is_emitted_is_read_back(value: Any, indent: int) -> None:
    text = emit_yaml(value, indent)
    assert same(say(text), value)
    assert text.endswith("\n")


EMITTED = [
    ("plain words", "plain words\n"),
    ("yes", '"yes"\n'),
    ("null", '"null"\n'),
    ("1.10", '"1.10"\n'),
    ("a: b", '"a: b"\n'),
    ("http://x:80/p?q=1&r", "http://x:80/p?q=1&r\n"),
    ("two\nlines\n", "|\n  two\n  lines\n"),
    ("two\nlines", "|-\n  two\n  lines\n"),
    (" led by space\nx\n", '" led by space\\nx\\n"\n'),
    (VaultText("$ANSIBLE_VAULT;1.1;AES256\n3132\n"), "!vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  3132\n"),
    (float("inf"), ".inf\n"),
    ({"a": [], "b": {}}, "a: []\nb: {}\n"),
    ({"a": [{"b": 1, "c": [2, [3]]}]}, "a:\n  - b: 1\n    c:\n      - 2\n      - - 3\n"),
    ({"k" * 1100: 1}, f"? {'k' * 1100}\n: 1\n"),
    ((1, 2), "- 1\n- 2\n"),
]


@pytest.mark.parametrize(("value", "text"), EMITTED)
def test_the_style(value: Any, text: str) -> None:
    assert emit_yaml(value) == text


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        SensitiveStr("s3cret"),
        {"a": [SensitiveStr("s3cret")]},
        {SensitiveStr("s3cret"): 1},
        SensitiveMap(a="s3cret"),
        [SensitiveInt(4711)],
        object(),
        b"bytes",
        "lone \udc80 surrogate",
        pytest.param(10**5000, id="digits"),
        deep(MAX_DEPTH + 1),
    ],
)
def test_what_cannot_be_stored(value: Any) -> None:
    with pytest.raises(EnsembleError) as caught:
        emit_yaml(value)
    assert "s3cret" not in str(caught.value)
    assert "4711" not in str(caught.value)


def test_the_deepest_value_is_read_back() -> None:
    assert same(say(emit_yaml(deep(MAX_DEPTH))), deep(MAX_DEPTH))


# path, entries, the lines that change
EDITS: list[tuple[tuple[str, ...], dict[str, Any], list[str]]] = [
    (("status", "instances", "app"), {"port": 81}, ["-      port: 80    # web", "+      port: 81    # web"]),
    (("status", "instances", "app"), {"quoted key": "y"}, ["-      \"quoted key\": 'x'", '+      "quoted key": "y"']),
    (
        ("status", "instances", "app"),
        {"text": "a\nb"},
        ["-      text: |", "-        foo", "+      text: |-", "+        a", "+        b"],
    ),
    (
        ("status", "instances", "app"),
        {"list": [1]},
        ["-      list: [1,2]", "+      list:", "+        - 1"],
    ),
    (
        ("status", "instances", "app", "instances", "child"),
        {"state": "error", "new": None},
        ["-          state: ok # fine", "+          state: error # fine", "+          new: null"],
    ),
    (("status", "instances"), {"db": DELETE}, ["-    db:", "-      x: 'q'"]),
    (("status", "instances"), {"web": {"a": 1}}, ["+    web:", "+      a: 1"]),
    (("status", "instances", "db", "instances"), {"k": {}}, ["+      instances:", "+        k: {}"]),
    (("status", "inputs"), {"a": 1}, ["-  inputs: {}", "+  inputs:", "+    a: 1"]),
    ((), {"lastJob": {"a": 1}}, ["-lastJob: ~", "+lastJob:", "+  a: 1"]),
    ((), {"lock": {"a": 1}}, ["+lock:", "+  a: 1"]),
    ((), {"spec": {"a": 1, "b": 2}}, ["-spec: {a: 1}   # flow", "+spec:   # flow", "+  a: 1", "+  b: 2"]),
    ((), {"spec": {"a": 1}}, []),
    ((), {"lastJob": DELETE}, ["-lastJob: ~"]),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("prove", [True, False])
@pytest.mark.parametrize(("path", "entries", "lines"), EDITS)
def test_an_edit_changes_only_its_lines(
    path: tuple[str, ...], entries: dict[str, Any], lines: list[str], prove: bool, newline: str
) -> None:
    before = "\ufeff" + ENSEMBLE.replace("\n", newline)
    after = replace_entries(before, path, entries, prove=prove)
    assert changed_lines(before, after) == lines
    assert after.startswith("\ufeff#")
    assert after.count("\n") == after.count(newline)
    place = say(after)
    for key in path:
        place = place[key]
    for key, value in entries.items():
        assert key not in place if value is DELETE else same(place[key], value)


def test_a_missing_final_newline_stays_missing() -> None:
    assert replace_entries("a: 1\nb: 2 # c", (), {"a": 3}) == "a: 3\nb: 2 # c"
    assert replace_entries("a: 1\nb: 2", (), {"b": 3}) == "a: 1\nb: 3"
    assert replace_entries("a: 1", (), {"b": [1]}) == "a: 1\nb:\n  - 1\n"
    assert replace_entries("a: 1\n", (), {"b": DELETE}) == "a: 1\n"


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("a:   # c\n\nb: 1\n", [1], "a:   # c\n  - 1\n\nb: 1\n"),
        ("a: ~ # c\nb: 1\n", "x\ny", "a: |- # c\n  x\n  y\nb: 1\n"),
        ("a:  # c\n  - 1 # d\nb: 1\n", [2], "a:  # c\n  - 2\nb: 1\n"),
        ("a:  # c\n  - 1\nb: 1\n", 2, "a: 2  # c\nb: 1\n"),
        ("a:\n  - 1\n# c\n", 2, "a: 2\n# c\n"),
        ("a: {x: 1,\n  y: 2} # c\n", 2, "a: 2\n"),
    ],
)
def test_comments_beside_a_key(before: str, value: Any, after: str) -> None:
    assert replace_entries(before, (), {"a": value}) == after


def test_the_whole_status_is_compared_entry_by_entry() -> None:
    status = {
        "inputs": {},
        "instances": {**say(ENSEMBLE)["status"]["instances"], "db": {"x": "r"}},
    }
    assert changed_lines(ENSEMBLE, replace_entries(ENSEMBLE, (), {"status": status})) == [
        "-      x: 'q'",
        "+      x: r",
    ]


# Texts that no edit in place is safe in, the edit, and what must be left of the old text.
UNSAFE = [
    ("{a: 1, b: {c: 2}} # note\n", {"a": 2}, "# note"),
    ("a: &x {p: 1}\nb: *x\n# note\n", {"a": 3}, "# note"),
    ("base: &x\n  p: 1\na:\n  <<: *x\n  q: 2\n# note\nc: 1 # c\n", {"a": {"p": 2, "q": 2}}, "c: 1 # c"),
    ("? a\n: 1\n? b\n: 2 # note\n", {"a": 2}, "# note"),
    ("a:\n  text: |+\n    x\n\n\n# note\nb: 1\n", {"a": {"text": "y\n\n\n"}}, "# note"),
    ("a: 1\r# note\rb: 2\r", {"a": 2}, "# note"),
]


@pytest.mark.parametrize("prove", [True, False])
@pytest.mark.parametrize(("text", "entries", "kept"), UNSAFE)
def test_where_surgery_is_not_safe_the_data_is_right(text: str, entries: Any, kept: str, prove: bool) -> None:
    after = replace_entries(text, (), entries, prove=prove)
    assert same(say(after), {**say(text), **entries})
    assert kept in after


@pytest.mark.parametrize("prove", [True, False])
def test_spaces_that_follow_a_new_block_do_not_become_its_content(prove: bool) -> None:
    assert same(say(replace_entries("a: 1\n    ", (), {"b": "x\n"}, prove=prove)), {"a": 1, "b": "x\n"})


@pytest.mark.parametrize("prove", [True, False])
def test_a_block_that_ends_with_the_file_gains_no_line_end(prove: bool) -> None:
    assert same(say(replace_entries("a: |\n  x", (), {"b": 1}, prove=prove)), {"a": "x", "b": 1})


def test_an_alias_is_replaced_by_a_value_of_its_own() -> None:
    assert replace_entries("a: &x {p: 1}\nb: *x # y\n", (), {"b": {"p": 2}}) == "a: &x {p: 1}\nb: # y\n  p: 2\n"


def test_a_comment_after_a_new_block_stays_outside_of_it() -> None:
    text = "a:\n  b: 1\n      # deep note\nc: 2\n"
    after = replace_entries(text, ("a",), {"b": "x\ny\n"})
    assert same(say(after), {"a": {"b": "x\ny\n"}, "c": 2})


def test_documents_of_other_kinds() -> None:
    document = parse_yaml("- 1\n- 2\n", "x.yaml")
    assert rewrite(document, [1]) == "- 1\n"
    assert rewrite(document, {"a": 1}) == "a: 1\n"
    assert rewrite(document, [1, 2]) == document.text


STYLED = st.recursive(
    st.sampled_from(["1", "x", "'q'", '"d"', "~", "[1, 2]", "{f: 1}", "|\n@lit\n", ">-\n@fold\n@more\n", "!vault x"]),
    lambda inner: st.dictionaries(st.sampled_from(["a", "b", "'c'", "::d", "e f"]), inner, min_size=1, max_size=4),
    max_leaves=8,
)


def styled(value: Any, indent: int, draw: Any) -> str:
    """Write a tree of pieces of YAML text with comments and blank lines drawn between them."""
    pad = " " * indent
    lines = []
    for key, item in value.items():
        lines.append(draw(st.sampled_from(["", f"{pad}# before\n", "\n", f"{pad}  # deeper\n"])))
        if isinstance(item, dict):
            lines.append(
                f"{pad}{key}:{draw(st.sampled_from(['', ' # on the line']))}\n{styled(item, indent + 2, draw)}"
            )
        elif "@" in item:
            lines.append(f"{pad}{key}: {item.replace('@', pad + '    ')}")
        else:
            lines.append(f"{pad}{key}: {item}{draw(st.sampled_from(['', ' # after']))}\n")
    return "".join(lines)


@given(st.data())
def test_any_edit_of_any_text_says_the_data(data: Any) -> None:
    tree = data.draw(st.dictionaries(st.sampled_from(["k", "l", "m"]), STYLED, min_size=1))
    document = parse_yaml(styled(tree, 0, data.draw), "x.yaml")
    path: list[Any] = []
    place = document.data
    while isinstance(place, dict) and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(place)))
        path.append(key)
        place = place[key]
    keys = sorted(place) if isinstance(place, dict) else []
    changes = data.draw(
        st.dictionaries(st.sampled_from([*keys, "new", "other"]), DATA | st.just(DELETE), min_size=1, max_size=3)
    )
    after = replace_entries(document, path, changes, prove=data.draw(st.booleans()))
    expected = say(document.text)
    at = expected
    for n, key in enumerate(path):
        if not isinstance(at[key], dict):
            at[key] = {}
        at = at[key]
        assert n < len(path)
    for key, value in changes.items():
        if value is DELETE:
            at.pop(key, None)
        else:
            at[key] = value
    assert same(say(after), expected)


def test_edits_need_no_reading_when_the_document_is_given(tmp_path: Path) -> None:
    document = parse_yaml(ENSEMBLE, tmp_path / "ensemble.yaml")
    once = replace_entries(document, ("status", "instances"), {"db": DELETE})
    again = replace_entries(document, ("status", "instances"), {"db": DELETE, "web": {}})
    assert "db:" not in once
    assert "db:" not in again
    assert "    web: {}\n" in again
