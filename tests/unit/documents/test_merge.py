"""Merge directives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.merge import expand
from ansible_ensemble.documents.yaml import key_place_of, parse_yaml, place_of, read_yaml

EXPANDED: list[tuple[str, Any]] = [
    ("a: {x: 1, y: 1}\nb:\n  +/a:\n  y: 2", {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 2}}),
    ("a: {s: {x: 1}}\nb:\n  +/a/s:", {"a": {"s": {"x": 1}}, "b": {"x": 1}}),
    ("a: {s/t: {x: 1}}\nb:\n  +/a/s~1t:", {"a": {"s/t": {"x": 1}}, "b": {"x": 1}}),
    ("a: [0, {x: 1}]\nb:\n  +/a/1:", {"a": [0, {"x": 1}], "b": {"x": 1}}),
    ("r: {a: {x: 1}, b: {+../a: null, y: 2}}", {"r": {"a": {"x": 1}, "b": {"x": 1, "y": 2}}}),
    ("b: {c: {x: 1}, +./c: null}", {"b": {"c": {"x": 1}, "x": 1}}),
    ("a: &n {x: 1}\nb: {+*n: null}", {"a": {"x": 1}, "b": {"x": 1}}),
    ("a: &n {c: {x: 1}}\nb: {+*n/c: null}", {"a": {"c": {"x": 1}}, "b": {"x": 1}}),
    ("a: {+&: n, x: 1}\nb: {+*n: null}", {"a": {"x": 1}, "b": {"x": 1}}),
    ("b: {+?/none: null, x: 1}", {"b": {"x": 1}}),
    ("b: {+?include: none.yaml, x: 1}", {"b": {"x": 1}}),
    ("b: {+?*none: null, x: 1}", {"b": {"x": 1}}),
    ("a: {x: 1}\nb: {+/a: null, +?/c: null, +%: merge}", {"a": {"x": 1}, "b": {"x": 1}}),
    # several: the later one wins, and the own entries over all
    ("a: {x: 1, y: 1, z: 1}\nb: {x: 2, y: 2}\nc: {+/a: null, +/b: null, x: 3}", {"x": 3, "y": 2, "z": 1}),
    # recursive, with null as an empty map
    ("a: {m: {x: 1, y: 1}, n: {q: 1}}\nc: {+/a: null, m: {y: 2}, n: null}", {"m": {"x": 1, "y": 2}, "n": {"q": 1}}),
    # chains
    ("a: {x: 1}\nb: {+/a: null, y: 1}\nc: {+/b: null, z: 1}", {"x": 1, "y": 1, "z": 1}),
    # strategies
    ("a: {m: {x: 1}, k: 1}\nc: {+/a: null, m: {+%: whiteout}}", {"k": 1}),
    ("a: {m: {x: 1}, k: 1}\nc: {+/a: null, m: {+%: nullout}}", {"m": None, "k": 1}),
    ("a: {m: {x: 1}}\nc: {+/a: null, m: {+%: merge, y: 1}}", {"m": {"x": 1, "y": 1}}),
    ("c: {m: {+%: whiteout}, k: 1}", {"k": 1}),
    # values that are not maps, and lists
    ("a: 5\nc: {+/a: null}", 5),
    ("a: [1, 2]\nc: [0, {+/a: null}, 3]", [0, 1, 2, 3]),
    ("a: [1, 2]\nc: [[{+/a: null}]]", [[1, 2]]),
    ("a: {l: [1, 2]}\nc: {+/a: null, l: [2, 3]}", {"l": [1, 2, 3]}),
    ("a: {l: [{h: {n: 1}}]}\nc: {+/a: null, l: [{h: {m: 2}}]}", {"l": [{"h": {"n": 1, "m": 2}}]}),
    ("c: [{+%: whiteout}, {+?/none: null}, 1]", [1]),
    ("a: {x: {+/b: null}}\nb: {y: 1}\nc: {+/a: raw}", {"x": {"+/b": None}}),
    # no directives
    ("c: {'+1': a, +: b, plus+: 1, '+ x': 2}", {"+1": "a", "+": "b", "plus+": 1, "+ x": 2}),
]


@pytest.mark.parametrize(("text", "expected"), EXPANDED)
def test_expansion(text: str, expected: Any) -> None:
    data = expand(parse_yaml(text, "ensemble.yaml"))
    assert (data["c"] if "c" in data and "\nc:" in f"\n{text}" else data) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b: {+/none: null}", "names nothing"),
        ("b: {+*none: null}", "names nothing"),
        ("b: {+....: null}", "names nothing"),
        ("b: {+include: none.yaml}", "no file none.yaml"),
        ("b: {+include: 5}", "needs the name of a file"),
        ("b: {+include: ../../etc/passwd}", "leads out"),
        ("b: {+include: {file: x, repository: r}}", "no repository 'r'"),
        ("b: {+/~2: null}", "~0"),
        ("a: 1\nb: {+/a: null, x: 1}", "names no map"),
        ("a: {m: {+%: error, x: 1}}\nb: {+/a: null, m: {y: 1}}", r"\+%: error"),
        ("a: {m: {x: 1}}\nb: {+/a: null, m: {+%: bad}}", "not known"),
        ("b: {+/b: null}", "form a cycle"),
        ("b: {c: {+/b: null}}", "form a cycle"),
        ("b: {c: {+..: null}}", "form a cycle"),
        ("a: {+/b: null}\nb: {+/a: null}", r"\+/b .*-> \+/a"),
        ("a: &n {x: {+*n: null}}", "form a cycle"),
        ("+/: null", "names nothing"),
    ],
)
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "ensemble.yaml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=message) as caught:
        expand(read_yaml(file))
    assert caught.value.place is not None
    assert caught.value.place.line


def test_growth_without_end_is_refused() -> None:
    lines = ["m0: {a: {x: {}}, b: {x: {}}}"]
    lines += [f"m{n}: {{a: {{+/m{n - 1}: null}}, b: {{+/m{n - 1}: null}}}}" for n in range(1, 30)]
    with pytest.raises(InvalidInput, match="too large"):
        expand(parse_yaml("\n".join(lines), "x.yaml"))


def test_included_files_keep_their_places(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "ensemble.yaml").write_text("spec:\n  +include: sub/a.yaml\n  own: 1\n")
    (tmp_path / "sub" / "a.yaml").write_text("# a\nfirst: {x: 1}\nown: 2\n+include-more: b.yaml\n")
    (tmp_path / "sub" / "b.yaml").write_text("#\n#\nsecond: 3\n")
    document = read_yaml(tmp_path / "ensemble.yaml")
    text = str(document.data)
    spec = expand(document)["spec"]
    assert spec == {"first": {"x": 1}, "own": 1, "second": 3}
    assert str(document.data) == text
    places = {key: str(key_place_of(spec, key)).rsplit("/", 1)[-1] for key in spec}
    assert places == {"first": "a.yaml:2:1", "own": "ensemble.yaml:3:3", "second": "b.yaml:3:1"}
    assert str(place_of(spec["first"], "x")).endswith("a.yaml:2:12")


@pytest.mark.parametrize(
    ("directive", "expected"),
    [
        ("+include: 'parts.json#/here/~1x'", {"y": 1}),
        ("+include: {file: 'parts.json#/here'}", {"/x": {"y": 1}}),
        ("+include/~1x: 'parts.json#/here'", {"y": 1}),
        ("+?include: 'parts.json#/gone', k: 1", {"k": 1}),
        ("+?include: 'gone.json#/here', k: 1", {"k": 1}),
    ],
)
def test_a_part_of_an_included_file(directive: str, expected: Any, tmp_path: Path) -> None:
    (tmp_path / "parts.json").write_text('{"here": {"/x": {"y": 1}}}')
    assert expand(parse_yaml(f"a: {{{directive}}}", tmp_path / "a.yaml")) == {"a": expected}


@pytest.mark.parametrize("key", ["when", "merge", "fille"])
def test_a_key_that_an_include_does_not_know_is_refused(key: str, tmp_path: Path) -> None:
    (tmp_path / "parts.yaml").write_text("a: 1\n")
    (tmp_path / "e.yaml").write_text(f"+include: {{file: parts.yaml, {key}: x}}\n")
    with pytest.raises(InvalidInput, match=f"takes no '{key}'"):
        expand(read_yaml(tmp_path / "e.yaml"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("parts.json#here", "parts.json#here names no part of a file"),
        ("parts.json#/gone", "names nothing"),
        ("parts.json#/~here", "~ must be ~0"),
        ("../parts.json#/here", "the included file"),
    ],
)
def test_what_is_no_part_of_an_included_file(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "parts.json").write_text("{}")
    with pytest.raises(InvalidInput, match=message):
        expand(parse_yaml(f"a: {{+include: '{name}'}}", tmp_path / "a.yaml"))


def test_an_include_loop_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("+include: b.yaml\n")
    (tmp_path / "b.yaml").write_text("x:\n  +include: a.yaml\n")
    with pytest.raises(InvalidInput, match="form a cycle"):
        expand(read_yaml(tmp_path / "a.yaml"))


def test_a_repository(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.yaml").write_text("x: 1\n")
    (tmp_path / "project").mkdir()
    file = tmp_path / "project" / "ensemble.yaml"
    file.write_text("+include: {file: a.yaml, repository: r}\n")
    assert expand(read_yaml(file), find_repository={"r": tmp_path / "repo"}.get) == {"x": 1}


def test_without_directives_nothing_is_copied() -> None:
    document = parse_yaml("a: {b: 1+1}\n", "x.yaml")
    assert expand(document) is document.data
    document = parse_yaml("a: {b: 1}\nc: {+/a: null}\n", "x.yaml")
    assert expand(document)["a"] is document.data["a"]
