from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.budget import Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.templates.rendering import Rendering

DATA = {"name": "m1", "list": [1, "b"], "map": {"z": 1, "a": {"deep": "x"}}, "n": None, "big": 1000000, "half": 0.5}


def render(text: str, data: Any = DATA, strict: bool = False) -> str:
    return Rendering({"other": "O{{.}}", "lib": '{{define "part"}}<{{.}}>{{end}}'}, strict=strict).text("t", text, data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a {{- .name -}} b", "am1b"),
        ("{{range $k, $v := .map}}{{$k}}={{$v}};{{end}}", "a=map[deep:x];z=1;"),
        ("{{range .n}}x{{else}}none{{end}}", "none"),
        ("{{range $i := 4}}{{if eq $i 1}}{{continue}}{{else if eq $i 3}}{{break}}{{end}}{{$i}}{{end}}", "02"),
        ("{{with .n}}x{{else with .name}}{{.}}{{end}}", "m1"),
        ("{{$x := 1}}{{if true}}{{$x = 2}}{{$x := 3}}{{end}}{{$x}}", "2"),
        ('{{block "b" .name}}[{{.}}]{{end}}{{template "b" 5}}', "[m1][5]"),
        ('{{template "other" .name}} {{template "part" 1}}', "Om1 <1>"),
        ("{{(index .map `a`).deep}} {{.map.a.missing}}", "x <no value>"),
        ("{{.big}} {{.half}} {{eq .big 1000000.0}} {{printf `%.1f` .big}}", "1000000 0.5 true 1000000.0"),
        ("{{and 0 (fail `never`)}}{{or 1 (fail `never`)}}", "01"),
        ("{{/* a\n comment */ -}}  x", "x"),
    ],
)
def test_what_is_rendered(text: str, expected: str) -> None:
    assert render(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n {{.name.x}}", 't:2:3: executing "t" at <.name.x>: can\'t evaluate field x in type string'),
        ('{{template "no"}}', 'template "no" not defined'),
        ("{{nope}}", 't:1: function "nope" not defined'),
        ("{{if}}x{{end}}", "missing value for if"),
        ("{{if 1}}", "unexpected EOF"),
        ("{{end}}", "unexpected {{end}}"),
        ("{{break}}", "{{break}} outside {{range}}"),
        ("{{.a", "unclosed action"),
        ('{{"a}}', "unterminated quoted string"),
        ("{{/* x}}", "unclosed comment"),
        ("{{$x}}", 'undefined variable "$x"'),
        ("{{1i}}", "complex numbers are not supported"),
        ("{{99999999999999999999}}", "overflows int"),
        ("{{eq 1 `a`}}", "error calling eq: incompatible types for comparison: int and string"),
        ("{{trim 5}}", "wrong type for value; expected string; got int"),
        ("{{trim}}", "wrong number of args for trim: want 1 got 0"),
        ("{{range .name}}{{end}}", "range can't iterate over string"),
        ('{{define "a"}}1{{end}}{{define "a"}}2{{end}}', 'multiple definition of template "a"'),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        render(text)
    assert str(error.value).startswith("template: t:")
    assert message in str(error.value)


def test_a_key_that_is_missing() -> None:
    assert render("{{.map.q}}") == "<no value>"
    with pytest.raises(TemplateError, match='map has no entry for key "q"'):
        render("{{.map.q}}", strict=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{range until 9999}}{{range until 9999}}{{end}}{{end}}", "steps"),
        ('{{define "r"}}{{template "r"}}{{end}}{{template "r"}}', "maximum template depth"),
        ('{{define "r"}}{{template "r"}}{{template "r"}}{{end}}{{template "r"}}', "maximum template depth"),
        ("{{$d := dict}}{{$_ := set $d `d` $d}}{{$d}}", "steps"),
        ("{{$d := dict}}{{$_ := set $d `d` $d}}{{toJson $d}}", "steps"),
        ("{{$x := list 1}}{{range until 60}}{{$x = list $x $x}}{{end}}{{$x}}", "steps"),
        ("{{$x := list 1}}{{$y := list 1}}{{range until 60}}{{$x = list $x $x}}{{$y = list $y $y}}{{end}}"
         "{{deepEqual $x $y}}", "steps"),
        ("{{$x := `a`}}{{range until 60}}{{$x = print $x $x}}{{end}}", "characters"),
        ("{{repeat 99999999 `a`}}", "characters"),
        ("{{printf `%9999999d` 1}}{{printf `%999999d` 1 | repeat 10}}", "characters"),
        ("{{range until 100000}}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{{end}}", "output"),
        ("{{regexMatch `((ab?){9}){9}c` (repeat 4000000 `a`)}}", "steps"),
        ("{{regexReplaceAll `a` (repeat 9999 `a`) (repeat 9999 `b`)}}", "characters"),
        ("{{mustRegexMatch `((a{1000}){1000}){1000}` ``}}", "invalid repetition size"),
        ("{{seq 0 99999999}}", "steps"),
        ("{{" + "(" * 500 + "1" + ")" * 500 + "}}", "depth"),
    ],
)  # fmt: skip
def test_no_template_goes_on_without_end(text: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        render(text)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*(a*)*b", "(a|aa)+$", "(.*)*c"])
def test_a_pattern_that_could_be_tried_in_many_ways_is_within_the_limits(pattern: str) -> None:
    assert render("{{regexMatch `" + pattern + "` (printf `%sb!` (repeat 100000 `a`))}}") in ("true", "false")


def test_matches_that_each_read_all_that_follows_are_paid_for() -> None:
    with pytest.raises(TemplateError, match="more than 50000 steps"):
        Rendering({}, Limits(steps=50_000)).text("t", "{{regexFindAll `a*b|a` (repeat 200000 `a`) 40000}}", None)


def test_limits_can_be_given() -> None:
    assert Rendering({}, Limits(steps=10)).text("t", "{{1}}", None) == "1"
    with pytest.raises(TemplateError, match="more than 10 steps"):
        Rendering({}, Limits(steps=10)).text("t", "{{range 20}}{{end}}", None)


PIECES = [
    *(
        "{{",
        "}}",
        "{{-",
        "-}}",
        " ",
        "if ",
        "range ",
        "end",
        "else ",
        "with ",
        "define ",
        "template ",
        '"a"',
        "`b`",
        ".",
    ),
    *("$x", ":=", "=", "|", "(", ")", ".name", ".list", ".map.a", "print ", "printf ", '"%d%s%*v%[2]q"', "index ", "0"),
    *("1.5", "-", "nil ", "and ", "split ", "regexReplaceAll ", '"(a|b)*"', "toJson ", "dict ", "list ", "slice ", ","),
    *("\n", "break", "'c'", "é", "/*", "*/"),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
    | st.text(max_size=40).map(lambda text: "{{" + text + "}}")
)
def test_nothing_but_its_own_error(text: str) -> None:
    try:
        render(text)
    except TemplateError as error:
        assert str(error).startswith("template: ")
