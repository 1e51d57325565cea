"""The reader: what scalars mean, places, and errors in plain words for whatever is in the file."""

from __future__ import annotations

import gc
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.sensitive import SensitiveMap, SensitiveStr
from ansible_ensemble.documents.writer import same
from ansible_ensemble.documents.yaml import (
    MAX_DEPTH,
    Map,
    Seq,
    VaultText,
    key_place_of,
    parse_yaml,
    place_of,
    read_yaml,
    written,
)

SCALARS: list[tuple[str, Any]] = [
    ("yes", "yes"),
    ("no", "no"),
    ("on", "on"),
    ("Off", "Off"),
    ("true", True),
    ("True", True),
    ("TRUE", True),
    ("tRUE", "tRUE"),
    ("false", False),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("~", None),
    ("", None),
    ("nul", "nul"),
    ("0", 0),
    ("-12", -12),
    ("+12", 12),
    ("010", 10),
    ("0o17", 15),
    ("0x1F", 31),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("12:30:45", "12:30:45"),
    ("2020-01-01", "2020-01-01"),
    ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
    ("1.5", 1.5),
    ("1.", 1.0),
    (".5", 0.5),
    ("1e3", 1000.0),
    ("1.10", 1.1),
    ("1.2.3", "1.2.3"),
    (".inf", float("inf")),
    ("-.INF", float("-inf")),
    (".nan", float("nan")),
    (".", "."),
    ("-x", "-x"),
    ("'1'", "1"),
    ('"1"', "1"),
    ("=", "="),
    ("!!str 1", "1"),
    ("!!int '1'", 1),
    ("!!float 1", 1.0),
    ("!!bool 'true'", True),
    ("!!null ''", None),
    ("! 1", "1"),
    ("!unsafe '{{ x }}'", "{{ x }}"),
    ("!vault |\n  $ANSIBLE_VAULT\n  12", VaultText("$ANSIBLE_VAULT\n12")),
    ("!!map {a: 1}", {"a": 1}),
    ("!!seq [1]", [1]),
    ("١٢", "١٢"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_what_a_scalar_means(text: str, value: Any) -> None:
    read = parse_yaml(f"a: {text}", "x.yaml").data["a"]
    assert same(read, value)
    assert isinstance(read, VaultText) is isinstance(value, VaultText)


def test_sensitive_values() -> None:
    data = parse_yaml("a: !sensitive 123\nb: !sensitive {c: d}\n", "x.yaml").data
    assert isinstance(data["a"], SensitiveStr)
    assert data["a"] == "123"
    assert isinstance(data["b"], SensitiveMap)
    assert "123" not in repr(data)


MERGED: list[tuple[str, Any]] = [
    ("b: &b {x: 1, y: 1}\na: {<<: *b, y: 2}", {"x": 1, "y": 2}),
    ("b: &b {x: 1}\na: {y: 2, <<: *b, x: 3}", {"x": 3, "y": 2}),
    ("b: &b {x: 1, z: 1}\nc: &c {x: 2}\na: {<<: [*c, *b]}", {"x": 2, "z": 1}),
    ("b: &b {x: 1}\nc: &c {<<: *b, y: 1}\na: {<<: *c}", {"x": 1, "y": 1}),
    ("a: {'<<': 1}", {"<<": 1}),
    ("b: &b [1]\na: *b", [1]),
    ("b: &b v\na: {*b : 1}", {"v": 1}),
    ("b: &b 1\nc: &b 2\na: *b", 2),
]


@pytest.mark.parametrize(("text", "value"), MERGED)
def test_anchors_and_merge_keys(text: str, value: Any) -> None:
    assert parse_yaml(text, "x.yaml").data["a"] == value


def test_places() -> None:
    text = "# top\na: b\nc:\n  - d: 1.10\n    é: [x, {y: z}]\nm: &m {p: 1}\nn:\n  <<: *m\n  q: 2\n"
    document = parse_yaml(text, "x.yaml")
    data = document.data
    assert document.place == Place("x.yaml", 1, 1)
    assert place_of(data) == Place("x.yaml", 2, 1)
    assert place_of(data, "a") == Place("x.yaml", 2, 4)
    assert key_place_of(data, "c") == Place("x.yaml", 3, 1)
    assert place_of(data["c"]) == Place("x.yaml", 4, 3)
    assert place_of(data["c"], 0) == Place("x.yaml", 4, 5)
    assert key_place_of(data["c"][0], "é") == Place("x.yaml", 5, 5)
    assert place_of(data["c"][0]["é"], 1) == Place("x.yaml", 5, 12)
    assert place_of(data["n"], "p") == Place("x.yaml", 6, 11)
    assert key_place_of(data["n"], "q") == Place("x.yaml", 9, 3)
    assert place_of(data, "none") == place_of(data)
    assert place_of(data["c"], 9) == place_of(data["c"])
    assert place_of({"a": 1}, "a") is None
    assert place_of(Map(a=1), "a") is None
    assert document.anchors["m"] is data["m"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_places_with_other_line_ends_and_a_byte_order_mark(newline: str) -> None:
    data = parse_yaml("\ufeff" + newline.join(["a: 1", "b: 2"]), "x.yaml").data
    assert key_place_of(data, "a") == Place("x.yaml", 1, 1)
    assert place_of(data, "b") == Place("x.yaml", 2, 4)


@pytest.mark.parametrize("text", ["1.10", "0x1F", "+1", "010", "1e3", "&v 1.10", "!!float 1.10"])
def test_a_number_as_it_is_written(text: str) -> None:
    data = parse_yaml(f"a: {text}  # c\nb: {{c: {text}, d: 1}}", "x.yaml").data
    number = text.rsplit(" ", 1)[-1]
    assert written(data, "a") == number
    assert written(data["b"], "c") == number


def test_other_values_as_they_are_written() -> None:
    data = parse_yaml("a: '1.10'\nb: &b 1.10\nc: *b\n", "x.yaml").data
    assert written(data, "a") == "1.10"
    assert written(data, "c") == "1.1"
    assert written({"a": 1.5}, "a") == "1.5"


def test_containers_are_ordinary_ones() -> None:
    data = parse_yaml("a: [1, {b: 2}]", "x.yaml").data
    assert isinstance(data, Map)
    assert isinstance(data["a"], Seq)
    assert data == {"a": [1, {"b": 2}]}
    assert data["a"].index(1) == 0
    copied = pickle.loads(pickle.dumps(data))
    assert copied == data
    assert place_of(copied["a"], 1) == place_of(data["a"], 1)


INVALID: list[tuple[str, str, str, str]] = [
    ("a: {{ x }}", "1:5", "cannot be a key", "quote Jinja"),
    ("a: 1\n? [b]\n: c", "2:3", "cannot be a key", "quote it"),
    ("a:\n\tb: 1", "2:1", "tab", "spaces"),
    ("a: b\n\tc: d", "2:1", "tab", "spaces"),
    ("a: 1\nb: 'x\nc: 2", "2:4", "not closed", "close it"),
    ('a: "x', "1:4", "not closed", "close it"),
    ("a: b: c", "1:5", 'a second ": "', "quote"),
    ("a: 1\n b: 2", "2:3", "no key can be", "alike"),
    ("a\nb: c", "1:1", 'no ":" after its key', "key: value"),
    ("a: [1, 2", "1:9", '"]" is missing', "close the list"),
    ("{a: b", "1:6", '"}" is missing', "close the map"),
    ("a: @x", "1:4", "cannot begin a value", "quote"),
    ("a: `x`", "1:4", "cannot begin a value", "quote"),
    ("- a\nb: c", "2:1", 'without "- "', "indent"),
    ("a: *x", "1:4", "no anchor &x", "quote"),
    ("a: &a [*a]", "1:8", "inside of what &a names", "contain itself"),
    ("a: \x01", "1:4", "control character", "escape"),
    ("é: \x07", "1:4", "control character", "escape"),
    ("a: \0", "1:4", "NUL", "text file"),
    ("a: &x &y b", "1:7", "indentation or a quote", "quote"),
    ('a: "\\q"', "1:5", "escape", "backslash"),
    ("a: |x\n b", "1:5", "text follows", "next line"),
    ("a: 1\n---\nb: 1\n", "2:1", "second document", "one document"),
    ("a: x\n...\nb", "3:1", "end of the document", "one document"),
    ("key:\n  - a\n b: c", "3:2", "indentation", "alike"),
    ("%FOO", "1:5", "directive", "quote"),
    ("%YAML 2.0\n---\na: 1", "1:1", "another version", "remove"),
    ("a: !foo x", "1:4", "tag !foo", "!vault"),
    ("a: !!python/object:os.system x", "1:4", "tag !!python/object:os.system", "!vault"),
    ("a: !!binary aGk=", "1:4", "tag !!binary", "!vault"),
    ("a: !foo {b: c}", "1:4", "tag !foo", "!vault"),
    ("a: !!map [b]", "1:4", "tag !!map", "!vault"),
    ("a: !!int x", "1:4", "not a !!int value", ""),
    ("a: !!int true", "1:4", "not a !!int value", ""),
    ("a: !e!x y", "1:4", "prefix", "!vault"),
    ("a: 1\nb: 2\na: 3", "3:1", "'a' is given twice, first on line 1", "remove"),
    ("a: {b: 1, 'b': 2}", "1:11", "'b' is given twice", "remove"),
    ("a: {1: b, true: c}", "1:11", "the keys 1 and true are one and the same, first on line 1", "quote"),
    ("b: &b {}\na: {<<: *b, <<: *b}", "2:13", "'<<' is given twice", "remove"),
    ("a: {<<: 1}", "1:9", "<< must name a map", "anchor"),
    ("a: {<<: [1]}", "1:9", "<< must name a map", "anchor"),
    ("a: " + "9" * 5000, "1:4", "too many digits", "quote"),
    ("[" * (MAX_DEPTH + 1), f"1:{MAX_DEPTH + 1}", "nested deeper", ""),
    ("a: \ud800", "1:4", "no Unicode character", ""),
    ("", "", "empty", "document"),
    ("# comment\n", "", "empty", "document"),
]


@pytest.mark.parametrize(("text", "place", "message", "hint"), INVALID)
def test_errors_say_where_what_and_what_to_do(text: str, place: str, message: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_yaml(text, "x.yaml")
    error = caught.value
    assert str(error.place) == f"x.yaml:{place}".rstrip(":")
    assert message in error.message
    assert hint in (error.hint or "")
    assert gc.isenabled()


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


def merge_bomb() -> str:
    lines = ["a0: &a0 {" + ", ".join(f"k{n}: {{x: {{}}}}" for n in range(10)) + "}"]
    lines += [f"a{n}: &a{n} {{{', '.join(f'j{m}: *a{n - 1}' for m in range(10))}}}" for n in range(1, 9)]
    return "\n".join([*lines, "b: {<<: *a8}"])


@pytest.mark.parametrize("text", [bomb(9), bomb(30), merge_bomb()])
def test_bombs(text: str) -> None:
    with pytest.raises(InvalidInput, match="too large"):
        parse_yaml(text, "x.yaml")


def test_many_harmless_aliases() -> None:
    text = "a: &a {b: 1}\nl:\n" + "- *a\n" * 10_000
    assert len(parse_yaml(text, "x.yaml").data["l"]) == 10_000


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 100_000, "{a: " * 100_000])
def test_any_depth_ends_in_our_error(text: str) -> None:
    with pytest.raises(InvalidInput, match="nested deeper"):
        parse_yaml(text, "x.yaml")


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes("\ufeffé: 1\r\n".encode())
    document = read_yaml(file)
    assert document.text == "\ufeffé: 1\r\n"
    assert document.data == {"é": 1}
    assert document.path == file


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: \xff\n", "not UTF-8"),
        ("a: 1".encode("utf-16"), "not UTF-8"),
        (b"", "empty"),
        (b"PK\x03\x04\0\0", "NUL|UTF-8"),
    ],
)
def test_files_that_are_no_yaml(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_yaml(file)
    assert caught.value.place is not None
    assert caught.value.place.file == str(file)


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a: 1")
    for path, message in [
        (tmp_path / "none.yaml", "no file"),
        (tmp_path, "is a folder"),
        (tmp_path / "file" / "a.yaml", "cannot be read"),
        (tmp_path / ("x" * 300), "cannot be read"),
        ("a\0b", "cannot be read"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            read_yaml(path)


@pytest.mark.parametrize("libyaml", [True, False])
def test_without_libyaml_the_result_is_the_same(libyaml: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not libyaml:
        monkeypatch.setitem(sys.modules, "yaml.cyaml", None)
    data = parse_yaml("a: &a {b: 1.5, c: x}\nd: [*a, 'e']\n", "x").data
    assert data == {"a": {"b": 1.5, "c": "x"}, "d": [{"b": 1.5, "c": "x"}, "e"]}
    assert place_of(data["d"], 1) == Place("x", 2, 9)
    for text, message in [("a: [", "missing"), ("a: \x01", "control"), ("a: 'x", "closed"), ("a:\n\tb: 1", "tab")]:
        with pytest.raises(InvalidInput, match=message) as caught:
            parse_yaml(text, "x")
        assert caught.value.place is not None


def test_the_collector_stays_off_where_it_was_off() -> None:
    gc.disable()
    try:
        parse_yaml("a: 1", "x")
        assert not gc.isenabled()
    finally:
        gc.enable()


PIECES = st.sampled_from(
    [
        "a",
        "b",
        ": ",
        ":",
        "- ",
        "\n",
        "  ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "'",
        '"',
        "&x ",
        "*x",
        "!vault ",
        "!t ",
        "|",
        ">",
        "#",
        "%",
        "@",
        "<<",
        "? ",
        "---\n",
        "...\n",
        "\t",
        "1",
        "~",
        "\\",
        "é",
        "\x85",
        "\u2028",
        "\r",
        "{{ x }}",
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=30))
def test_whatever_is_in_the_file_ends_in_data_or_in_our_error(text: str) -> None:
    try:
        data = parse_yaml(text, "x.yaml").data
    except InvalidInput as error:
        assert error.message
        return
    assert data is None or isinstance(data, (str, int, float, dict, list))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
        max_leaves=15,
    ),
    st.sampled_from([True, False, None]),
)
def test_what_pyyaml_writes_is_read_as_it_was(value: Any, flow: bool | None) -> None:
    # Quoted, because what PyYAML writes plain follows YAML 1.1: 0E0 is a string there, and a number here.
    text = yaml.safe_dump(value, default_flow_style=flow, default_style='"')
    assert same(parse_yaml(text, "x.yaml").data, value)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("{eval: ::app::url}", {"eval": "::app::url"}),
        ("a: {eval: ::app::url, x: [::b, ::c::d]}", {"a": {"eval": "::app::url", "x": ["::b", "::c::d"]}}),
        ("[::a]", ["::a"]),
        ("a: ::x\nb: |\n  ::y z\nc: ' ::q'\nd: a::b\n", {"a": "::x", "b": "::y z\n", "c": " ::q", "d": "a::b"}),
        ("{::a: 1}", {"::a": 1}),
    ],
)
def test_text_may_begin_with_two_colons_as_unfurl_writes_it(text: str, data: Any) -> None:
    assert parse_yaml(text, "f.yaml").data == data


def test_places_after_two_colons() -> None:
    data = parse_yaml("a: {eval: ::app::url, b: 1}\n", "f.yaml").data
    assert str(place_of(data["a"], "b")) == "f.yaml:1:26"
    with pytest.raises(InvalidInput, match=r"f\.yaml:1:23"):
        parse_yaml("a: {eval: ::app::url, :: }: ]\n", "f.yaml")
