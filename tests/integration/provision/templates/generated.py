"""Templates made by chance, by the same chance each time."""

from __future__ import annotations

import random

from tests.integration.provision.templates.golang import Case

DATA = {
    "i": 7,
    "j": -3,
    "zero": 0,
    "s": "text",
    "u": "é<ü>&\"'\n\t\\",
    "e": "",
    "t": True,
    "f": False,
    "n": None,
    "rate": 2.5,
    "large": 12345678.5,
    "list": [1, "two", [3, 4], {"x": "y"}, None, 0.25],
    "words": ["b", "a", "c"],
    "numbers": [3, 1, 2],
    "none": [],
    "map": {"b": 2, "a": {"deep": [1, {"z": "end"}]}, "c": "see", "d-e": False},
    "empty": {},
}
FIELDS = [
    ".",
    "$",
    *(f".{name}" for name in DATA),
    ".map.a",
    ".map.a.deep",
    ".map.b",
    ".map.c.d",
    ".missing",
    ".missing.x",
    "$.i",
]
INTEGERS = [
    ".i",
    ".j",
    ".zero",
    "$.i",
    "1",
    "-2",
    "0x1F",
    "017",
    "1_000",
    "'a'",
    r"'\n'",
    "(len .s)",
    "(index .numbers 1)",
]
TEXTS = [".s", ".u", ".e", '"a\\tb\\u00e9"', "`raw\\n`", "(print .i .s)", '(printf "%05d" .i)', "(index .words 0)"]
VALUES = [
    *FIELDS,
    *INTEGERS,
    *TEXTS,
    "true",
    "false",
    "nil",
    "2.5",
    "1e3",
    "(.map)",
    "(.map).c",
    "(index .map `a`).deep",
]
VERBS = [
    "v",
    "d",
    "s",
    "q",
    "x",
    "X",
    "t",
    "T",
    "o",
    "b",
    "c",
    "U",
    "+v",
    "#v",
    "5d",
    "-5d",
    "05d",
    "+d",
    "6.2f",
    ".3s",
    "-8q",
    "e",
    "g",
]
VERBS += [
    "#x",
    "% x",
    "#o",
    "08.3f",
    "+q",
    "#q",
    "z",
    "!",
    "%",
    "[1]d",
    "[2]v",
    "[9]d",
    "*d",
    ".*f",
    "O",
    "G",
    "5t",
    "10v",
    "-10v|",
    "x x",
]
LISTED = [".list", ".map", ".numbers", ".words", ".s", *VALUES]
AT = ["0", "1", "9", "`a`", "`zz`", *VALUES]
BOUNDS = ["", "0", "1", "1 2", "2 1", "1 2 3", "9"]
SPACES = ["", " ", "\n", "  \n "]


class Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def case(self) -> Case:
        text = "".join(self._part(3) for _ in range(self._random.randint(1, 4)))
        if self._random.random() < 0.15:
            text = self._damaged(text)
        return Case(text, DATA, self._random.random() < 0.2)

    def _damaged(self, text: str) -> str:
        at = self._random.randrange(len(text) + 1)
        return (
            text[:at] + self._random.choice(["", "}", "{{", "(", '"', " -", ".", "|", "$", "é", "end"]) + text[at + 1 :]
        )

    def _action(self, inside: str) -> str:
        left = self._random.choice(["{{", "{{", "{{ ", "{{- "])
        right = self._random.choice(["}}", "}}", " }}", " -}}"])
        return left + inside + right

    def _text(self) -> str:
        return (
            self._random.choice(SPACES)
            + self._random.choice(["", "x", "<a>", "{ }", "end"])
            + self._random.choice(SPACES)
        )

    def _body(self, depth: int, loop: bool = False) -> str:
        parts = [self._part(depth - 1, loop) for _ in range(self._random.randint(0, 2))]
        return self._text() + "".join(parts) + self._text()

    def _part(self, depth: int, loop: bool = False) -> str:
        makers = [self._print, self._print, self._variable, self._comment]
        if depth > 0:
            makers += [self._if, self._with, self._range, self._define, self._block]
        if loop:
            makers += [self._leave]
        maker = self._random.choice(makers)
        return self._text() + maker(depth, loop)

    def _print(self, depth: int, loop: bool) -> str:
        return self._action(self._pipeline())

    def _comment(self, depth: int, loop: bool) -> str:
        return self._random.choice(["{{/* a\nb */}}", "{{- /* c */ -}}", "{{/* d */ -}}"])

    def _leave(self, depth: int, loop: bool) -> str:
        word = self._random.choice(["break", "continue"])
        return f"{{{{if {self._condition()}}}}}{self._action(word)}{{{{end}}}}"

    def _variable(self, depth: int, loop: bool) -> str:
        use = self._random.choice(
            ["{{$v}}", "{{$v = 5}}{{$v}}", "{{if true}}{{$v = `in`}}{{$v := 1}}{{end}}{{$v}}", "{{$v.b}}"]
        )
        return self._action(f"$v := {self._pipeline()}") + use

    def _if(self, depth: int, loop: bool) -> str:
        parts = [self._action(f"if {self._condition()}"), self._body(depth, loop)]
        if self._random.random() < 0.4:
            parts += [self._action(f"else if {self._condition()}"), self._body(depth, loop)]
        if self._random.random() < 0.5:
            parts += [self._action("else"), self._body(depth, loop)]
        return "".join([*parts, self._action("end")])

    def _with(self, depth: int, loop: bool) -> str:
        start = (
            self._random.choice(["with ", "with $w := ", "with .map | "]) if self._random.random() < 0.9 else "with "
        )
        start = start if not start.endswith("| ") else "with "
        other = self._action("else with .s") + "{{.}}" if self._random.random() < 0.3 else ""
        other += self._action("else") + self._body(depth, loop) if self._random.random() < 0.5 else ""
        return self._action(start + self._value()) + "{{.}}" + self._body(depth, loop) + other + self._action("end")

    def _range(self, depth: int, loop: bool) -> str:
        names, use = self._random.choice([("", "{{.}}"), ("$x := ", "{{$x}}"), ("$k, $x := ", "{{$k}}={{$x}},")])
        over = self._random.choice(
            [".list", ".words", ".map", ".none", ".empty", ".n", "3", ".i", ".missing", self._value()]
        )
        other = self._action("else") + self._body(depth) if self._random.random() < 0.3 else ""
        return self._action(f"range {names}{over}") + use + self._body(depth, True) + other + self._action("end")

    def _define(self, depth: int, loop: bool) -> str:
        name = f"t{self._random.randrange(10_000)}"
        call = self._action(f'template "{name}" {self._value()}') + self._action(f"template `{name}`")
        if depth < 3:
            return call if self._random.random() < 0.2 else ""
        return f'{{{{define "{name}"}}}}({{{{.}}}}{self._body(1)}){{{{end}}}}{call}'

    def _block(self, depth: int, loop: bool) -> str:
        name = f"b{self._random.randrange(10_000)}"
        return self._action(f'block "{name}" {self._value()}') + self._body(depth) + self._action("end")

    def _value(self) -> str:
        return self._random.choice(VALUES)

    def _condition(self) -> str:
        return self._random.choice([self._value(), self._comparison(), f"not {self._value()}", self._junction()])

    def _junction(self) -> str:
        word = self._random.choice(["and", "or"])
        return f"{word} {' '.join(self._value() for _ in range(self._random.randint(1, 3)))}"

    def _comparison(self) -> str:
        word = self._random.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        kinds = self._random.choice(
            [INTEGERS, TEXTS, ["true", ".t", ".f"], [".n", "nil", ".map", ".list", ".missing"], [*INTEGERS, *TEXTS]]
        )
        count = self._random.randint(1, 3) if word == "eq" else 2
        return f"{word} {' '.join(self._random.choice(kinds) for _ in range(count))}"

    def _call(self) -> str:
        choose = self._random.choice
        return choose(
            [
                f"print {self._value()} {self._value()}",
                f"println {self._value()} {self._value()}",
                self._printf(),
                f"len {self._value()}",
                f"index {choose(LISTED)} {choose(AT)}",
                f"index .map `a` `deep` {choose(['0', '1', '5'])}",
                f"slice {choose(['.s', '.u', '.i', '(print .rate)'])} {choose(BOUNDS)}",
                f"{choose(['html', 'js', 'urlquery'])} {self._value()}",
                f"urlquery {choose(TEXTS)} {choose(VALUES)}",
                f"not {self._value()}",
                self._comparison(),
                self._junction(),
                f"call {self._value()}",
            ]
        )

    def _printf(self) -> str:
        count = self._random.randint(1, 3)
        form = " ".join("%" + self._random.choice(VERBS) for _ in range(count))
        floats = any(letter in form for letter in "fFeEgG")
        values = [
            self._random.choice(["2.5", ".rate", ".large", "1e100", ".s"]) if floats else self._value()
            for _ in range(self._random.randint(0, 3))
        ]
        return f'printf "{form}|" {" ".join(values)}'

    def _pipeline(self) -> str:
        first = self._random.choice([self._value(), self._call(), f"({self._call()})"])
        then = self._random.choice(
            [
                "",
                "",
                "",
                " | print",
                ' | printf "%v-%v" 1',
                " | len",
                " | html",
                " | not",
                " | eq 7",
                " | index .map",
                " | .map",
                " | 5",
            ]
        )
        return first + then
