"""Expressions that nobody chose, for the instance `app` of ensemble.yaml.

They combine paths, filters, functions with their options, templates and filters of Jinja at random. Some mean nothing;
then Unfurl refuses them, or gives null.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import yaml

WORDS: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
LOGIC = ("if", "and", "or", "not", "eq", "validate", "concat", "token", "label", "q", "template")


def unchosen(seed: int, number: int) -> list[Any]:
    """So many expressions, each once; the same ones for the same seed."""
    made, found = _Maker(seed), dict[str, Any]()
    while len(found) < number:
        one = made.whole()
        found.setdefault(json.dumps(one), one)
    return list(found.values())


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def word(self, kind: str) -> Any:
        return self.pick(WORDS[kind])

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def whole(self) -> Any:
        if self.chance(0.25):
            return self.template()
        if self.chance(0.1):
            return {"a": self.expression(1), "b": [self.expression(1), self.word("data")]}
        return self.expression(self.pick([1, 2, 2, 3]))

    def expression(self, depth: int) -> Any:
        if depth <= 0 or self.chance(0.4):
            made: dict[str, Any] = {"eval": self.path()}
        elif self.chance(0.2):
            return self.template()
        else:
            made = {"eval": self.function(depth)}
            if next(iter(made["eval"])) in WORDS["alone"] and len(made["eval"]) == 1 and self.chance(0.4):
                return made["eval"]
        if self.chance(0.15):
            made["vars"] = {"v": self.pick([self.word("data"), {"eval": self.path()}])}
        if self.chance(0.15):
            made["foreach"] = self.word("foreach")
        elif self.chance(0.15):
            made["select"] = self.word("select")
        return made

    def path(self) -> str:
        parts = str(self.word("paths")).split("::")
        at = self.random.randrange(len(parts))
        if self.chance(0.12) and parts[at] and not parts[at].startswith("["):
            parts[at] += self.word("filters")
        return "::".join([*parts, self.word("ends")] if self.chance(0.08) else parts)

    def operand(self, depth: int) -> Any:
        quoted = {"q": self.word("data")}
        return self.pick([self.path(), self.path(), quoted, self.word("data"), self.expression(depth - 1)])

    def function(self, depth: int) -> dict[str, Any]:
        name = self.pick([*WORDS["fixed"], *LOGIC])
        operands = [self.operand(depth) for _turn in range(self.pick([1, 2, 3]))]
        match name:
            case "if":
                made = {"if": self.operand(depth), "then": self.operand(depth)}
                return made | ({"else": self.operand(depth)} if self.chance(0.7) else {})
            case "and" | "or":
                return {name: operands}
            case "concat":
                return {name: operands} | ({"sep": self.pick([",", "-", ""])} if self.chance(0.3) else {})
            case "not":
                return {"not": operands[0]}
            case "eq":
                return {"eq": [self.operand(depth), self.operand(depth)]}
            case "validate":
                return {"validate": [operands[0], {"type": self.pick(["string", "integer", "object"])}]}
            case "token":
                return {"token": [self.pick(["a.b.c", "x-y", {"eval": "url"}]), self.pick(".-: "), self.pick([0, 1])]}
            case "label":
                made = {self.pick(["to_label", "to_dns_label", "to_kubernetes_label"]): self.word("labels")}
                return made | ({"max": self.pick([5, 12])} if self.chance(0.3) else {})
            case "q":
                return {"q": self.pick([self.word("data"), {"eval": self.path()}])}
            case "template":
                return {"template": self.template()}
        return {name: self.pick(WORDS["fixed"][name])}

    def template(self) -> str:
        forms = ["<>"] * 4 + ["a<>b", "x: <>", "[<>]\n", " <>", "<>-<>", "{% if ... %}yes{% else %}no{% endif %}", ""]
        form = self.pick(forms)
        if not form:
            items = self.pick(["SELF.names", "SELF.answers", "[1,2]"])
            text = self.pick(["{{ i }};", "{{ loop.index }}"])
            return "{% for i in " + items + " %}" + text + "{% endfor %}"
        while "<>" in form:
            form = form.replace("<>", "{{ " + self.jinja() + " }}", 1)
        return form.replace("...", self.jinja())

    def jinja(self) -> str:
        return f"{self.word('values')} {self.word('jinja')}".strip()
